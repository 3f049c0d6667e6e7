/** Creates a database for one case, and reads it without Offerbook. */
import { after } from 'node:test';
import { Client } from 'pg';
import { createPlace, type StorePlace } from './store-place.ts';

const removals: (() => Promise<void>)[] = [];

// Removes folders after the last test of the file, because a running server would write into them.
after(() => Promise.all(removals.map((remove) => remove())));

export async function postgresPlace(): Promise<StorePlace> {
  const { place, remove } = await createPlace('postgres');
  removals.push(remove);
  return place;
}

/** Returns the first column of every row. */
export async function selectColumn(place: StorePlace, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: place.DATABASE_URL });
  await client.connect();
  try {
    const { rows } = await client.query<unknown[]>({ text: sql, rowMode: 'array' });
    return rows.map(([value]) => value);
  } finally {
    await client.end();
  }
}
