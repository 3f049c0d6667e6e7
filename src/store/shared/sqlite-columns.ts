/** SQL that reads the parts of the SKU `s` from SQLite's tables in the form of PostgreSQL's columns. */

/** The children of the group `g` in order, as JSON text. */
export const SQLITE_CHILDREN = `(
    SELECT json_group_array(child.sku_id ORDER BY m.position)
    FROM variation_member m JOIN sku child ON child.id = m.sku
    WHERE m.parent = g.parent AND m.sku <> g.parent
  )`;

/** The group of the parent `s`, or nulls. */
export const SQLITE_GROUP_COLUMNS = `g.refinements, g.title, CASE WHEN g.parent IS NOT NULL THEN ${SQLITE_CHILDREN} END`;

/** See stored-inventory.ts. */
export const SQLITE_STOCK = `(
    SELECT json_group_object(i.node_id, json_array(i.quantity, i.updated_ms, i.number))
    FROM inventory i WHERE i.sku = s.id
  )`;
