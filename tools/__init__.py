"""What makes files of this project that are kept in it."""
