"""Video of tables by a camera in somebody's hand, drawn or made of photographs; its truth is known."""
