/** Checks that need only what the merchant sent: title, brand, product codes and price. */
import { isBlank } from '../text.ts';
import type { UploadCheck } from './check.ts';
import type { ReviewedDocument } from './facts.ts';
import { isCorrectCode, type SentCode } from './product-code.ts';

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
    for (const code of document.standard_product_codes ?? []) if (!isCorrect(code)) return 'failed';
    return 'passed';
  },
  evidence: (subject) => ({ catalog_codes: subject.codes, wrong_codes: wrongCodes(subject.document) }),
  remedy({ document }) {
    const wrong = wrongCodes(document).map(
      (code) => `${code.standard_product_code_type} ${code.standard_product_code}`,
    );
    return `These product codes are invalid: ${wrong.join(', ')}. Correct or remove them.`;
  },
};

function isCorrect({ standard_product_code_type: type, standard_product_code: code }: SentCode): boolean {
  return isCorrectCode(type, code);
}

function wrongCodes({ standard_product_codes: codes }: ReviewedDocument): readonly SentCode[] {
  return (codes ?? []).filter((code) => !isCorrect(code));
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
