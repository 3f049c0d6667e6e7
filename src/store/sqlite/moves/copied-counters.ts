/** What the database has given out: sequence numbers and row ids, which a copy goes on behind. */
import { COPIED_TABLES } from '../../port/copied-tables.ts';
import type { Counters } from '../../shared/moves/engine.ts';
import type { Statement } from '../../shared/sql.ts';

const READ_WRITES: Statement<[number]> = { name: 'read write number', text: 'SELECT reserved FROM write_number' };
const RAISE_WRITES: Statement<[]> = {
  name: 'raise write number',
  text: 'UPDATE write_number SET reserved = max(reserved, $1)',
};
const READ_ROWS: Statement<[table: string, last: number]> = {
  name: 'read row ids',
  text: 'SELECT name, seq FROM sqlite_sequence',
};
const RAISE_ROWS: Statement<[1]> = {
  name: 'raise row ids',
  text: 'UPDATE sqlite_sequence SET seq = max(seq, $2) WHERE name = $1 RETURNING 1',
};
const START_ROWS: Statement<[]> = {
  name: 'start row ids',
  text: 'INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)',
};

export const copiedCounters: Counters = {
  async read(sql) {
    const [written] = await sql.run(READ_WRITES);
    const last = new Map(await sql.run(READ_ROWS));
    const rows = Object.fromEntries(COPIED_TABLES.map(({ name }) => [name, last.get(name) ?? 0]));
    return { writeNumber: written?.[0] ?? 0, orderMax: last.get('sku') ?? 0, rows };
  },
  /** `orderMax` has no counter of its own: the offers raise it as they come in. */
  async raise(sql, { writeNumber, rows }) {
    await sql.run(RAISE_WRITES, [writeNumber]);
    for (const table of COPIED_TABLES) {
      const last = rows[table.name] ?? 0;
      if (!('numberedBy' in table) || last === 0) continue;
      if ((await sql.run(RAISE_ROWS, [table.name, last])).length === 0) await sql.run(START_ROWS, [table.name, last]);
    }
  },
};
