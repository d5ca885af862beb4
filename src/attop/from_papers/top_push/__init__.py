"""TopPush (Li, Jin and Zhou 2014), certified or stopped as in its paper."""
