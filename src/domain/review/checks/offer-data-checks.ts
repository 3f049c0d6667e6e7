/** Checks that need only what the merchant sent: archive flag, title, brand, product codes and price. */
import { isBlank } from '../../text/text-rules.ts';
import type { UploadCheck } from '../check.ts';
import type { ReviewedDocument } from '../facts.ts';
import { isCorrectCode, type SentCode } from '../product-code.ts';

export const archiveCheck: UploadCheck = {
  id: 'archive',
  scope: 'upload',
  code: 'archived',
  effect: 'archived',
  state: ({ facts }) => (facts.archived ? 'failed' : 'passed'),
  evidence: ({ facts }) => ({ is_archived: facts.archived }),
  remedy: () =>
    'The SKU is archived. Unarchive it (PUT /merchant-skus/{id}/status/archive with is_archived false), then send its inventory ' +
    'again: archiving set it to 0.',
};

export const titleCheck: UploadCheck = {
  id: 'title',
  scope: 'upload',
  code: 'missing_title',
  effect: 'Missing title',
  state: ({ document }) => (isBlank(document.product_title) ? 'failed' : 'passed'),
  evidence: ({ document }) => ({ product_title: document.product_title }),
  remedy: () => 'Add a readable title.',
};

export const brandCheck: UploadCheck = {
  id: 'brand',
  scope: 'upload',
  code: 'missing_brand',
  effect: 'Missing brand',
  state: ({ document }) => (isBlank(document.brand) ? 'failed' : 'passed'),
  evidence: ({ document }) => ({ brand: document.brand }),
  remedy: () => 'Add the brand.',
};

export const productCodesCheck: UploadCheck = {
  id: 'product_codes',
  scope: 'upload',
  code: 'invalid_sku_identifier',
  effect: 'Invalid SKU identifier',
  state({ document }) {
    return wrongCodes(document).length === 0 ? 'passed' : 'failed';
  },
  evidence: (subject) => ({ catalog_codes: subject.codes, wrong_codes: wrongCodes(subject.document) }),
  remedy({ document }) {
    const wrong = wrongCodes(document).map(
      (code) => `${code.standard_product_code_type} ${code.standard_product_code}`,
    );
    return `These product codes are invalid: ${wrong.join(', ')}. Correct or remove them.`;
  },
};

function wrongCodes({ standard_product_codes: codes = [] }: ReviewedDocument): readonly SentCode[] {
  return codes.filter((code) => !isCorrectCode(code.standard_product_code_type, code.standard_product_code));
}

export const priceCheck: UploadCheck = {
  id: 'price',
  scope: 'upload',
  code: 'missing_price',
  effect: 'Missing price',
  state: ({ facts }) => (facts.priced ? 'passed' : 'failed'),
  evidence: ({ facts }) => ({ priced: facts.priced }),
  remedy: () => 'Add a price.',
};
