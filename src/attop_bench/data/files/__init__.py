"""Where the bytes of a file come from: the cache, a mirror or the web, its digest, opening it."""
