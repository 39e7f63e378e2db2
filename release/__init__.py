"""What is given to people: how versions are counted, what a release is made of, and the site that tells of it."""
