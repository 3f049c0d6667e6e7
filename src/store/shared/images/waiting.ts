/** Statement of the offers that wait for an image. On a distributed database they are spread by the hash of the address. */
import { rowsStatement } from '../sql.ts';

/** Values: key of the image, account, SKU id. */
export const WAIT = rowsStatement<[]>(
  'wait for images',
  `INSERT INTO image_waiting (address_hash, account_id, sku_id)
   SELECT i.address_hash, i.account_id, i.sku_id
   FROM unnest($1::bytea[], $2::bigint[], $3::text[]) AS i (address_hash, account_id, sku_id)
   ORDER BY i.address_hash, i.account_id, i.sku_id
   ON CONFLICT (address_hash, account_id, sku_id) DO NOTHING`,
  `INSERT INTO image_waiting (address_hash, account_id, sku_id) VALUES ($1, $2, $3)
   ON CONFLICT (address_hash, account_id, sku_id) DO NOTHING`,
);
