"""One module for each version; a module that was in a release is never changed."""
