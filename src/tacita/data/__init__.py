"""What is protected: attributes with roles and kinds, hierarchies, equivalence classes, files."""
