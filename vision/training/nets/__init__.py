"""The networks' shapes, and how they learn from labelled pictures. No picture is made here."""
