/** In charge of the record of what operators did. */
import type { Act, RecordedAct } from '../port/people.ts';
import { type Connection, statement } from './engine.ts';

type ActRow = [actId: number, atMs: number, by: string, act: string, subject: string, detail: string];

const INSERT = statement<[]>(
  'add act',
  'INSERT INTO operator_act (at_ms, made_by, act, subject, detail) VALUES ($1, $2, $3, $4, $5)',
);
const LIST = statement<ActRow>(
  'list acts',
  `SELECT act_id, at_ms, made_by, act, subject, detail FROM operator_act
   WHERE act_id < $1 ORDER BY act_id DESC LIMIT $2`,
);
const DROP = statement<[one: number]>('drop acts', 'DELETE FROM operator_act WHERE at_ms < $1 RETURNING 1');

export async function addAct(connection: Connection, { atMs, by, act, subject, detail }: Act): Promise<void> {
  await connection.run(INSERT, [atMs, by, act, subject, detail]);
}

export async function listActs(connection: Connection, before: number, limit: number): Promise<RecordedAct[]> {
  const rows = await connection.run(LIST, [before, limit]);
  return rows.map(([actId, atMs, by, act, subject, detail]) => ({ actId, atMs, by, act, subject, detail }));
}

export async function dropActsBefore(connection: Connection, timeMs: number): Promise<number> {
  return (await connection.run(DROP, [timeMs])).length;
}
