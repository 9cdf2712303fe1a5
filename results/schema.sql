-- brink's results store, version 1. The views at the end are public: their names and columns stay.
-- Times are UTC epoch milliseconds; axis values are text inside canonical configs; paths are relative to the store.

CREATE TABLE campaign (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  name         TEXT NOT NULL,
  revision     INTEGER NOT NULL,
  digest       TEXT NOT NULL,
  json         TEXT NOT NULL,
  state        TEXT NOT NULL CHECK (state IN ('queued', 'running', 'paused', 'complete', 'partial', 'cancelled',
                                              'superseded')),
  priority     INTEGER NOT NULL,
  slots        INTEGER NOT NULL,
  ad_hoc       INTEGER NOT NULL,
  submitted_ms INTEGER NOT NULL,
  fresh_after  INTEGER NOT NULL DEFAULT 0,
  UNIQUE (name, revision)
) STRICT;

CREATE TABLE experiment (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  campaign   INTEGER NOT NULL REFERENCES campaign,
  position   INTEGER NOT NULL,
  name       TEXT NOT NULL,
  kind       TEXT NOT NULL,
  state      TEXT NOT NULL CHECK (state IN ('queued', 'running', 'answered', 'inconclusive', 'blocked', 'cancelled')),
  answer     TEXT NOT NULL DEFAULT '',
  identity   TEXT NOT NULL DEFAULT '',
  started_ms INTEGER NOT NULL DEFAULT 0,
  ended_ms   INTEGER NOT NULL DEFAULT 0,
  UNIQUE (campaign, position),
  UNIQUE (campaign, name)
) STRICT;

-- What the runner compares to learn of pause and cancel without reading the queue.
CREATE TABLE queue_version (one INTEGER PRIMARY KEY CHECK (one = 1), version INTEGER NOT NULL) STRICT;
INSERT INTO queue_version VALUES (1, 1);
CREATE TRIGGER campaign_queued AFTER INSERT ON campaign BEGIN
  UPDATE queue_version SET version = version + 1;
END;
CREATE TRIGGER campaign_changed AFTER UPDATE ON campaign BEGIN
  UPDATE queue_version SET version = version + 1;
END;

-- Facts. A trial is inserted before its process starts, its outcome once after it ended; neither ever changes.
CREATE TABLE trial (
  id                 INTEGER PRIMARY KEY AUTOINCREMENT,
  campaign           INTEGER REFERENCES campaign,
  experiment         INTEGER REFERENCES experiment,
  config             TEXT NOT NULL,
  key                TEXT NOT NULL,
  family             TEXT NOT NULL,
  parts              TEXT NOT NULL,
  identity           TEXT NOT NULL,
  attempt            TEXT NOT NULL,
  purpose            TEXT NOT NULL,
  commands           TEXT NOT NULL,
  host               TEXT NOT NULL,
  brink_version      TEXT NOT NULL,
  wall_limit_ms      INTEGER NOT NULL,
  memory_limit_bytes INTEGER NOT NULL,
  started_ms         INTEGER NOT NULL
) STRICT;
CREATE INDEX trial_key ON trial (key);
CREATE INDEX trial_family ON trial (family);
CREATE INDEX trial_campaign ON trial (campaign);

CREATE TABLE outcome (
  trial             INTEGER PRIMARY KEY REFERENCES trial,
  ending            TEXT NOT NULL,
  infrastructure    TEXT NOT NULL,
  message           TEXT NOT NULL,
  wall_s            REAL NOT NULL,
  cpu_s             REAL NOT NULL,
  peak_memory_bytes INTEGER NOT NULL,
  ended_ms          INTEGER NOT NULL,
  json              TEXT NOT NULL
) STRICT;

CREATE TRIGGER trial_is_append_only BEFORE UPDATE ON trial BEGIN
  SELECT RAISE(ABORT, 'trials are never edited');
END;
CREATE TRIGGER trial_is_kept BEFORE DELETE ON trial BEGIN
  SELECT RAISE(ABORT, 'trials are never deleted');
END;
CREATE TRIGGER trial_is_made_once BEFORE INSERT ON trial WHEN EXISTS (SELECT 1 FROM trial WHERE id = NEW.id) BEGIN
  SELECT RAISE(ABORT, 'trials are never replaced');
END;
CREATE TRIGGER outcome_is_append_only BEFORE UPDATE ON outcome BEGIN
  SELECT RAISE(ABORT, 'outcomes are never edited');
END;
CREATE TRIGGER outcome_is_kept BEFORE DELETE ON outcome BEGIN
  SELECT RAISE(ABORT, 'outcomes are never deleted');
END;
CREATE TRIGGER outcome_is_written_once BEFORE INSERT ON outcome
WHEN EXISTS (SELECT 1 FROM outcome WHERE trial = NEW.trial) BEGIN
  SELECT RAISE(ABORT, 'an outcome is written once');
END;

-- What rules made of the facts: one row for each trial and rule set, the greatest id is the newest.
CREATE TABLE diagnosis (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  trial        INTEGER NOT NULL REFERENCES outcome,
  rules_digest TEXT NOT NULL,
  kind         TEXT NOT NULL CHECK (kind IN ('succeeded', 'failed', 'skipped', 'infrastructure')),
  class        TEXT NOT NULL,
  signature    TEXT NOT NULL,
  stage        TEXT NOT NULL,
  "group"      TEXT NOT NULL,
  message      TEXT NOT NULL,
  stand_in     INTEGER NOT NULL,
  json         TEXT NOT NULL,
  made_ms      INTEGER NOT NULL,
  UNIQUE (trial, rules_digest)
) STRICT;

CREATE TABLE conflict (
  diagnosis        INTEGER NOT NULL REFERENCES diagnosis ON DELETE CASCADE,
  position         INTEGER NOT NULL,
  "group"          TEXT NOT NULL,
  node             TEXT NOT NULL,
  bucket           TEXT NOT NULL,
  successor        TEXT NOT NULL,
  successor_bucket TEXT NOT NULL,
  layer            INTEGER,
  role             TEXT NOT NULL,
  PRIMARY KEY (diagnosis, position)
) STRICT, WITHOUT ROWID;

-- Verdicts as the searches were told them.
CREATE TABLE tell (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  experiment INTEGER NOT NULL REFERENCES experiment,
  trial      INTEGER NOT NULL REFERENCES trial,
  verdict    TEXT NOT NULL CHECK (verdict IN ('good', 'bad', 'skip')),
  why        TEXT NOT NULL,
  reused     INTEGER NOT NULL,
  told_ms    INTEGER NOT NULL,
  UNIQUE (experiment, trial)
) STRICT;
CREATE INDEX tell_trial ON tell (trial);

-- Arguments that were no files before a trial and are after it: the commands write them, so no key may hold them.
CREATE TABLE output_file (
  path  TEXT PRIMARY KEY,
  trial INTEGER NOT NULL REFERENCES trial
) STRICT, WITHOUT ROWID;

CREATE VIEW newest_diagnosis AS
SELECT * FROM diagnosis AS d WHERE d.id = (SELECT max(id) FROM diagnosis WHERE trial = d.trial);

CREATE VIEW trials AS
SELECT t.id                                                     AS id,
       c.name                                                   AS campaign,
       e.name                                                   AS experiment,
       t.config                                                 AS config,
       t.key                                                    AS key,
       CASE WHEN o.trial IS NULL THEN 'running' ELSE 'ended' END AS state,
       o.ending                                                 AS outcome,
       nullif(d.class, '')                                      AS class,
       nullif(d.signature, '')                                  AS signature,
       v.verdict                                                AS verdict,
       iif(o.trial IS NULL, NULL, o.ending = 'stopped-early')   AS early,
       t.started_ms                                             AS started,
       o.wall_s                                                 AS wall_s,
       o.peak_memory_bytes                                      AS peak_memory_bytes,
       'trials/' || t.id || '/log'                              AS log,
       c.revision                                               AS revision,
       t.purpose                                                AS purpose,
       d.stage                                                  AS stage,
       d."group"                                                AS "group",
       d.message                                                AS message,
       o.ended_ms                                               AS ended,
       o.cpu_s                                                  AS cpu_s,
       t.identity                                               AS identity,
       t.host                                                   AS host,
       t.brink_version                                          AS brink_version,
       d.stand_in                                               AS stand_in
FROM trial AS t
LEFT JOIN campaign AS c ON c.id = t.campaign
LEFT JOIN experiment AS e ON e.id = t.experiment
LEFT JOIN outcome AS o ON o.trial = t.id
LEFT JOIN diagnosis AS d ON d.id = (SELECT max(id) FROM diagnosis WHERE trial = t.id)
LEFT JOIN tell AS v ON v.experiment = t.experiment AND v.trial = t.id;

-- Values stay exact beyond 2^63: -> gives a JSON integer as it is written, json_extract would round it.
CREATE VIEW thresholds AS
WITH answered AS (
  SELECT e.*, CASE WHEN json_valid(e.answer) THEN e.answer END AS report FROM experiment AS e
)
SELECT c.name                                           AS campaign,
       c.revision                                       AS revision,
       e.name                                           AS experiment,
       report ->> '$.answer.axis'                       AS axis,
       e.state                                          AS state,
       report ->> '$.answer.kind'                       AS kind,
       CASE json_type(report, '$.answer.last_good') WHEN 'null' THEN NULL WHEN 'text' THEN report ->> '$.answer.last_good'
            ELSE report -> '$.answer.last_good' END     AS last_good,
       CASE json_type(report, '$.answer.first_bad') WHEN 'null' THEN NULL WHEN 'text' THEN report ->> '$.answer.first_bad'
            ELSE report -> '$.answer.first_bad' END     AS first_bad,
       report ->> '$.answer.confidence'                 AS confidence,
       report ->> '$.answer.failure.class'              AS class,
       report ->> '$.answer.failure.signature'          AS signature,
       report ->> '$.answer.failure.message'            AS message,
       report ->> '$.trials'                            AS trials,
       report ->> '$.probed'                            AS probed,
       report ->> '$.reused'                            AS reused,
       report ->> '$.seconds.wall'                      AS wall_s,
       report ->> '$.holes.tried'                       AS holes_tried,
       report ->> '$.holes.excluded_share'              AS holes_excluded_share,
       e.started_ms                                     AS started,
       e.ended_ms                                       AS ended
FROM answered AS e
JOIN campaign AS c ON c.id = e.campaign
WHERE e.kind = 'threshold';

CREATE VIEW topology_conflicts AS
SELECT d.trial            AS trial,
       c.name             AS campaign,
       e.name             AS experiment,
       t.config           AS config,
       k."group"          AS "group",
       k.node             AS node,
       k.bucket           AS bucket,
       k.successor        AS successor,
       k.successor_bucket AS successor_bucket,
       k.layer            AS layer,
       k.role             AS role
FROM newest_diagnosis AS d
JOIN conflict AS k ON k.diagnosis = d.id
JOIN trial AS t ON t.id = d.trial
LEFT JOIN campaign AS c ON c.id = t.campaign
LEFT JOIN experiment AS e ON e.id = t.experiment
ORDER BY d.trial, k.position;
