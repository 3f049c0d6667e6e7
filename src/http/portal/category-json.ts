/** Formats a category of a policy or product: by id, and by path if it is known. */
import { Id } from '../../domain/check/schema.ts';
import { type Static, Type } from '../../domain/check/type.ts';
import type { Int64 } from '../../domain/int64.ts';
import { PATH_SEPARATOR } from '../../domain/taxonomy/node-name.ts';
import type { Services } from '../services.ts';
import { OrNull } from './answer-schemas.ts';

export const CategoryAnswer = Type.Object({
  id: Id(),
  path: OrNull(
    Type.String(),
    'The names from the department down, separated by ` > `; null if the current taxonomy has no such node.',
  ),
});

export function categoryJson(id: Int64, { taxonomy }: Pick<Services, 'taxonomy'>): Static<typeof CategoryAnswer> {
  const { tree } = taxonomy.current;
  return { id, path: tree.node(id) === undefined ? null : tree.path(id).join(PATH_SEPARATOR) };
}
