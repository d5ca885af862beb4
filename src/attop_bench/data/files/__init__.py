"""Files of data sets: fetched from the cache, a mirror or the web, checked by digest, and opened."""
