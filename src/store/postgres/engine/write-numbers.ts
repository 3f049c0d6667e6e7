/**
 * Draws the sequence numbers that order writes: one sequence for all processes, never a clock. A separate statement draws them,
 * because on Citus a `nextval` inside another statement would run on the node of that statement.
 */
import type { Command, Rows } from './connection.ts';
import { type Connection, type Database, statement } from './engine.ts';

const DRAW = statement<[number: number]>('draw write number')`SELECT nextval('write_number')`;

/** Maximum number of offers uploaded under one number. */
export const PLACES = 4096;

/** Draws a number. Run it in a transaction after its locks are taken: all data in the locked rows then has a lower number. */
export const DRAW_NUMBER: Command = Object.freeze({ statement: DRAW, values: [] });

export async function drawNumber(connection: Connection): Promise<number> {
  return drawnNumber(await connection.run(DRAW));
}

export async function drawBatchNumber(database: Database, deadlineMs: number): Promise<number> {
  return drawnNumber(await database.readQuickly(DRAW, [], deadlineMs));
}

export function drawnNumber([row]: Rows): number {
  if (row === undefined) throw new Error('The sequence returned no number.');
  return row[0] as number;
}

/** Returns the upload order of an offer, which stays below 2^53 for the first 2,000,000,000,000 writes. */
export function uploadOrder(number: number, index: number): number {
  if (index >= PLACES) throw new Error(`A write can upload at most ${PLACES} offers.`);
  return number * PLACES + index;
}
