-- SPDX-License-Identifier: GPL-2.0-or-later
CREATE TABLE a(id INTEGER PRIMARY KEY, k INTEGER, name TEXT, value REAL);
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000 * @SCALE@)
INSERT INTO a SELECT i, i * 7919 % 10007, 'w' || (i * 31 % 1009), i / 3.0 FROM n;
COMMIT;
CREATE INDEX by_k ON a(k);
CREATE INDEX by_name ON a(name, id);
SELECT name, count(*), sum(value), max(k) FROM a GROUP BY name ORDER BY 2 DESC, 1 LIMIT 5;
SELECT count(*), sum(x.value * y.k) FROM a x JOIN a y ON x.k = y.id WHERE x.id % 3 = 0;
UPDATE a SET value = value + k, name = upper(name) WHERE k < 5000;
DELETE FROM a WHERE k BETWEEN 100 AND 900;
SELECT count(DISTINCT name), total(length(name)), avg(value) FROM a;
SELECT substr(group_concat(name, ','), 1, 40) FROM (SELECT name FROM a WHERE name LIKE '%1' ORDER BY value DESC LIMIT 2000);
SELECT sum(r) FROM (SELECT row_number() OVER (PARTITION BY name ORDER BY value) r FROM a);
