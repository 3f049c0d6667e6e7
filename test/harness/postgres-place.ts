/** In charge of a new database for one case, and of looking into it past Offerbook. */
import type { TestContext } from 'node:test';
import { Client } from 'pg';
import { createPlace, type StorePlace } from './store-place.ts';

export async function postgresPlace(t: Pick<TestContext, 'after'>): Promise<StorePlace> {
  const { place, remove } = await createPlace('postgres');
  t.after(remove);
  return place;
}

/** The first column of every row. */
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
