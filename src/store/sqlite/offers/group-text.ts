/** In charge of the one text that a group is compared by and recorded as (see history-rows.ts). */

/** Of the row `g` of `variation_group`: a JSON list of refinements, title and children, in their order. */
export const GROUP_TEXT = `json_array(json(g.refinements), g.title, json((
  SELECT json_group_array(child.sku_id ORDER BY m.position)
  FROM variation_member m JOIN sku child ON child.id = m.sku
  WHERE m.parent = g.parent AND m.sku <> g.parent)))`;
