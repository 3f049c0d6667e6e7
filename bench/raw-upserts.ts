/**
 * Measures plain PostgreSQL and its driver with price updates: prepared upserts into a narrow table, one by one or 64 per
 * statement, with the same number in flight as the store.
 */
import pg from 'pg';
import { rateOfLanes, scattered } from './lanes.ts';

/** As many connections as an Offerbook process opens. */
const CONNECTIONS = 10;
export const BATCH_ROWS = 64;
const IN_FLIGHT = 64;
const ACCOUNTS_MAX = 4;

const UPSERT = `INSERT INTO raw_price (account_id, sku_id, price, nodes, updated_ms, number)
  VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (account_id, sku_id) DO UPDATE SET
    price = excluded.price, nodes = excluded.nodes, updated_ms = excluded.updated_ms, number = excluded.number`;
const UPSERT_BATCH = `INSERT INTO raw_price (account_id, sku_id, price, nodes, updated_ms, number)
  SELECT $1, * FROM unnest($2::text[], $3::float8[], $4::text[], $5::bigint[], $6::bigint[])
  ON CONFLICT (account_id, sku_id) DO UPDATE SET
    price = excluded.price, nodes = excluded.nodes, updated_ms = excluded.updated_ms, number = excluded.number`;

export class RawUpserts {
  readonly #pool: pg.Pool;
  readonly #next: () => number;

  private constructor(pool: pg.Pool, skus: number) {
    this.#pool = pool;
    this.#next = scattered(skus);
  }

  static async open(url: string, skus: number): Promise<RawUpserts> {
    const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS });
    await pool.query(`CREATE TABLE raw_price (
      account_id bigint, sku_id text COLLATE "C", price float8, nodes text, updated_ms bigint, number bigint,
      PRIMARY KEY (account_id, sku_id)) WITH (fillfactor = 70)`);
    await pool.query(`INSERT INTO raw_price SELECT a, 'sku-' || n, 1, '[]', 1, 1
      FROM generate_series(1, ${ACCOUNTS_MAX}) a, generate_series(0, ${skus - 1}) n`);
    await pool.query('VACUUM ANALYZE raw_price');
    return new RawUpserts(pool, skus);
  }

  /** Returns rows per second. */
  oneByOne(seconds: number): Promise<number> {
    return rateOfLanes(IN_FLIGHT, seconds, async () => {
      const values = [1, `sku-${this.#next()}`, 12.5, '[]', Date.now(), 2];
      await this.#pool.query({ name: 'upsert', text: UPSERT, values });
      return 1;
    });
  }

  /** Returns rows per second. Each account has one batch in flight, because batches of one account would wait for each other. */
  byUnnest(accounts: number, seconds: number): Promise<number> {
    return rateOfLanes(accounts, seconds, async (lane) => {
      const skuIds = Array.from({ length: BATCH_ROWS }, () => `sku-${this.#next()}`).sort();
      const lists = [skuIds, ...[12.5, '[]', Date.now(), 2].map((value) => skuIds.map(() => value))];
      await this.#pool.query({ name: 'upsert batch', text: UPSERT_BATCH, values: [lane + 1, ...lists] });
      return BATCH_ROWS;
    });
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}
