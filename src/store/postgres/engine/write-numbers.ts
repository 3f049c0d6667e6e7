/**
 * In charge of the numbers that put writes in order: one sequence for all processes, never a clock. Drawn by a statement
 * of its own, because on a distributed database one inside another statement would be drawn on the node that runs it.
 */
import type { Command, Rows } from './connection.ts';
import { type Connection, type Database, statement } from './engine.ts';

const DRAW = statement<[number: number]>('draw write number', `SELECT nextval('write_number')`);

/** Places that a number has for offers that are uploaded together. */
export const PLACES = 4096;

/** For a transaction, behind the locks that it takes: whatever stands in those rows has a lower number. */
export const DRAW_NUMBER: Command = Object.freeze({ statement: DRAW, values: [] });

export async function drawNumber(connection: Connection): Promise<number> {
  return drawnNumber(await connection.run(DRAW));
}

/** For a batch that is closed; beside others that are drawn at the same time. */
export async function drawBatchNumber(database: Database, deadlineMs: number): Promise<number> {
  return drawnNumber(await database.readQuickly(DRAW, [], deadlineMs));
}

export function drawnNumber([row]: Rows): number {
  if (row === undefined) throw new Error('A sequence always has a next number.');
  return row[0] as number;
}

/** By this the offers of an account are listed; below 2^53 for the first 2,000,000,000,000 writes. */
export function uploadOrder(number: number, place: number): number {
  if (place >= PLACES) throw new Error(`A write has ${PLACES} places at most.`);
  return number * PLACES + place;
}
