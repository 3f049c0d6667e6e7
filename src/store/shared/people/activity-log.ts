/** Stores the activity log of operators. */
import type { PeopleStore, RecordedAct } from '../../port/people.ts';
import { read, write } from '../command.ts';
import { columnsOf } from '../records.ts';
import { statement } from '../sql.ts';

const ACT = columnsOf<RecordedAct>()('actId', 'atMs', 'by', 'act', 'subject', 'detail');

const INSERT = statement<[]>(
  'add act',
  'INSERT INTO operator_act (at_ms, made_by, act, subject, detail) VALUES ($1, $2, $3, $4, $5)',
);
const LIST = statement(
  'list acts',
  `SELECT ${ACT.list} FROM operator_act WHERE act_id < $1 ORDER BY act_id DESC LIMIT $2`,
);
const DROP = statement<[one: number]>('drop acts', 'DELETE FROM operator_act WHERE at_ms < $1 RETURNING 1');

export const addAct = write<PeopleStore['addAct']>(async (sql, { atMs, by, act, subject, detail }) => {
  await sql.run(INSERT, [atMs, by, act, subject, detail]);
});

export const listActs = read<PeopleStore['listActs']>(async (sql, before, limit) => {
  return (await sql.run(LIST, [before, limit])).map(ACT.of);
});

export const dropActsBefore = write<PeopleStore['dropActsBefore']>(async (sql, timeMs) => {
  return (await sql.run(DROP, [timeMs])).length;
});
