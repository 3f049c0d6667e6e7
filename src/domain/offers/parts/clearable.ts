/** Defines what all clearable parts have in common: the JSON text of one field of their body is stored. */
import { type ClearablePart, FILE_TYPE_OF } from '../../vocabulary/offer-parts.ts';
import type { Part, UploadOf, WriteOf } from '../part.ts';

/**
 * `path`: the path of the part's calls, below the path of the SKU. `field`: the field of the body; if it is absent or an empty list, the
 * write clears the part.
 */
export function clearable<Name extends ClearablePart>(
  name: Name,
  path: string,
  field: keyof UploadOf<Name> & string,
  exportField: string,
) {
  return {
    name,
    path,
    fileType: FILE_TYPE_OF[name],
    source: 'offer',
    isBehindUploads: true,
    scope: 'listing',
    isInOffer: true,
    clearingBody: {},
    stored: { field, exportField },
    toWrite: (skuId, upload) => {
      const value: unknown = upload[field];
      const isClear = value === undefined || (Array.isArray(value) && value.length === 0);
      return { skuId, part: name, text: isClear ? null : JSON.stringify(value) } as WriteOf<Name>;
    },
    valueIn: ({ clearable: texts }) => texts[name],
    decode: (_amount, text) => text,
    written: ({ text }) => text,
    taggedText: (text) => text,
    json: (text) => `{"${field}":${text}}`,
  } satisfies Partial<Part<Name>>;
}
