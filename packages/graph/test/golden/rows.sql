INSERT INTO users (github_login, name, pinned_type, pinned_key) VALUES ('ann', 'Ann "A"', 'Photo', '2'), ('bob', NULL, 'User', 'ann'), ('cid', 'Cid', NULL, NULL);
INSERT INTO photos (id, name, description, created, category, rating, loud, posted_by) VALUES
  (1, 'Harbour', 'at dusk', '2024-05-01T18:00:00.000Z', 'LANDSCAPE', 4.5, 0, 'ann'),
  (2, 'Face', NULL, '2024-05-02T18:00:00.000Z', 'PORTRAIT', NULL, 1, 'ann'),
  (3, 'Hills', 'green', '2024-05-02T18:00:00.000Z', 'LANDSCAPE', 3, 0, 'bob');
INSERT INTO photos_tagged_users (photo, "user") VALUES (1, 'bob'), (1, 'cid'), (2, 'bob');
INSERT INTO notes (id, text, public, author, photo) VALUES (1, 'nice', 1, 'ann', 1), (2, 'mine', 0, 'bob', 1);
UPDATE photos SET labels = '["sea","evening"]', place = '{"town":"Århus","height":3}' WHERE id = 1;
UPDATE photos SET labels = '[]', place = '{"town":null}' WHERE id = 2;
