/** What the database has given out: sequence numbers and row ids, which a copy goes on behind. */
import { COPIED_TABLES } from '../../port/copied-tables.ts';
import type { Counters } from '../../shared/moves/engine.ts';
import { statement } from '../../shared/sql.ts';
import { PLACES, uploadOrder } from '../engine/write-numbers.ts';

/** Null for a sequence that was never drawn from. */
const READ_WRITES = statement<[number | null]>(
  'copy read write number',
  `SELECT pg_sequence_last_value('write_number'::regclass)`,
);
const READ_ROWS = statement<[number | null]>(
  'copy read row number',
  'SELECT pg_sequence_last_value(pg_get_serial_sequence($1, $2)::regclass)',
);
/** A sequence takes no part in transactions: it is raised, never set back. */
const RAISE_WRITES = statement<[number]>(
  'copy raise write number',
  `SELECT setval('write_number', $1) WHERE $1 > coalesce(pg_sequence_last_value('write_number'::regclass), 0)`,
);
const RAISE_ROWS = statement<[number]>(
  'copy raise row number',
  `SELECT setval(pg_get_serial_sequence($1, $2), $3)
   WHERE $3 > coalesce(pg_sequence_last_value(pg_get_serial_sequence($1, $2)::regclass), 0)`,
);

const NUMBERED = COPIED_TABLES.flatMap((table) => {
  return 'numberedBy' in table ? [[table.name, table.numberedBy] as const] : [];
});

export const copiedCounters: Counters = {
  async read(sql) {
    const [written] = await sql.run(READ_WRITES);
    const writeNumber = written?.[0] ?? 0;
    const rows: Record<string, number> = {};
    for (const [table, column] of NUMBERED) {
      const [last] = await sql.run(READ_ROWS, [table, column]);
      rows[table] = last?.[0] ?? 0;
    }
    return { writeNumber, orderMax: uploadOrder(writeNumber, PLACES - 1), rows };
  },
  async raise(sql, { writeNumber, orderMax, rows }) {
    // The order of an upload is made of its number: the next one must come behind all that are there.
    await sql.run(RAISE_WRITES, [Math.max(writeNumber, Math.ceil(orderMax / PLACES))]);
    for (const [table, column] of NUMBERED) await sql.run(RAISE_ROWS, [table, column, rows[table] ?? 0]);
  },
};
