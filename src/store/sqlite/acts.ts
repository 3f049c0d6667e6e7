/** In charge of the record of what operators did. */
import type { Act, RecordedAct } from '../port/people.ts';
import type { Connection } from './engine.ts';
import { query } from './engine.ts';

type ActRow = [actId: number, atMs: number, by: string, act: string, subject: string, detail: string];

export function addAct(connection: Connection, { atMs, by, act, subject, detail }: Act): void {
  query(connection, 'INSERT INTO operator_act (at_ms, made_by, act, subject, detail) VALUES (?, ?, ?, ?, ?)').run(
    atMs,
    by,
    act,
    subject,
    detail,
  );
}

export function listActs(connection: Connection, before: number, limit: number): RecordedAct[] {
  return query<ActRow>(
    connection,
    `SELECT act_id, at_ms, made_by, act, subject, detail FROM operator_act
     WHERE act_id < ? ORDER BY act_id DESC LIMIT ?`,
  )
    .all(before, limit)
    .map(([actId, atMs, by, act, subject, detail]) => ({ actId, atMs, by, act, subject, detail }));
}

export function dropActsBefore(connection: Connection, timeMs: number): number {
  return Number(query(connection, 'DELETE FROM operator_act WHERE at_ms < ?').run(timeMs).changes);
}
