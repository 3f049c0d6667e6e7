/** Finds fixes for product codes, brand and title from products that the catalog knows, and the brand from the variation group. */
import { brandKey } from '../../text/brand-key.ts';
import { foldedText, wordsOf } from '../../text/folded-text.ts';
import { isBlank } from '../../text/text-rules.ts';
import { TYPE_OF_DIGITS } from '../../vocabulary/product-codes.ts';
import { foreignProducts, type KnownProduct, otherProducts } from '../catalog.ts';
import type { ReviewedDocument } from '../facts.ts';
import { type CatalogCode, gtin14, isCorrectCode, type SentCode } from '../product-code.ts';
import { type FixClues, type FixFinder, type FoundFix, replaced } from './fix.ts';
import { groupBrand } from './group-fixes.ts';
import { isOneEditAway, likeness } from './near-text.ts';

/** Every wrong code has up to 27 right codes one mistake away, and an offer may have many codes. */
const LOOKED_UP_CODES_MAX = 3;
/** Titles of one product by two merchants share at least this share of their words. */
const SAME_PRODUCT = 0.5;
/** UPCs with these first digits are coupons and codes of single shops, so such a code is the beginning of an EAN. */
const NO_UPC = /^[459]/;

const CODES = '/standard_product_codes';

interface WrongCode {
  readonly index: number;
  readonly code: string;
}

/** Returns the codes that the rules compare with the catalog: all right codes that are one mistake away from a wrong code. */
export function codesToLookUp(document: ReviewedDocument): readonly CatalogCode[] {
  return [...new Set(wrongCodes(document).flatMap(({ code }) => repairedCodes(code).map(catalogCode)))];
}

function wrongCodes({ standard_product_codes: codes = [] }: ReviewedDocument): readonly WrongCode[] {
  return codes
    .map(({ standard_product_code_type: type, standard_product_code: code }, index) => ({ type, code, index }))
    .filter(({ type, code }) => !isCorrectCode(type, code))
    .slice(0, LOOKED_UP_CODES_MAX);
}

function catalogCode({ standard_product_code_type: type, standard_product_code: code }: SentCode): CatalogCode {
  return `gtin:${gtin14(type, code)}`;
}

/** Returns the right codes after correcting one digit, two neighbors that were swapped, or a last digit that was cut off. */
function repairedCodes(code: string): readonly SentCode[] {
  const digits = Array.from({ length: 10 }, (_, digit) => String(digit));
  const texts = Array.from(code, (_, at) => [
    ...digits.map((digit) => code.slice(0, at) + digit + code.slice(at + 1)),
    code.slice(0, at) + code.slice(at + 1, at + 2) + code.slice(at, at + 1) + code.slice(at + 2),
  ]);
  // 11 digits that need a twelfth are no code of a stored offer, and an ISBN-10 has no longer form.
  const longer = code.length === 12 ? digits.map((digit) => code + digit) : [];
  return [...new Set([...texts.flat(), ...longer])].flatMap((text) => {
    const type = TYPE_OF_DIGITS.get(text.length);
    if (type === undefined || !isCorrectCode(type, text)) return [];
    return { standard_product_code_type: type, standard_product_code: text };
  });
}

export const codeFixes: FixFinder = ({ document }, { products }) =>
  wrongCodes(document).flatMap(({ index, code }) => {
    const repaired = repairedCodes(code).filter((sent) => sent.standard_product_code !== code);
    const path = `${CODES}/${index}`;
    const known = repaired.flatMap((sent) => {
      const product = products.find((each) => each.code === catalogCode(sent));
      return product && brandKey(product.brand) === brandKey(document.brand) ? { sent, product } : [];
    });
    const same = known.filter(({ product }) => hasTitle(product, document));
    const alike = known.filter(({ product }) => isAlike(product, document));
    const [found] = same.length > 0 ? same : alike;
    if (found !== undefined) {
      const isOnly = same.length === 1 || (same.length === 0 && alike.length === 1);
      if (!isOnly) return [];
      const { standard_product_code: right } = found.sent;
      const text = `Change the product code to ${right}, the code of "${found.product.title}" in the catalog.`;
      return {
        confidence: same.length === 1 ? 'certain' : 'likely',
        source: 'catalog',
        patch: replaced(path, found.sent),
        text,
      } as const;
    }
    const ean = repaired.find(({ standard_product_code: right }) => right.startsWith(code));
    if (!NO_UPC.test(code) || ean === undefined) return [];
    const text = `Change the product code to the EAN ${ean.standard_product_code}. Its last digit is missing.`;
    return { confidence: 'likely', source: 'arithmetic', patch: replaced(path, ean), text } as const;
  });

const titleWords = (title: string) => wordsOf(foldedText(title));
const hasTitle = ({ title }: KnownProduct, document: ReviewedDocument) =>
  brandKey(title) === brandKey(document.product_title);
const isAlike = ({ title }: KnownProduct, document: ReviewedDocument) =>
  likeness(titleWords(title), titleWords(document.product_title)) >= SAME_PRODUCT;

/** The brand of the catalog, or the only code that belongs to the product. */
export const productFixes: FixFinder = ({ document, products }) => {
  if (products === 'pending') return [];
  const [foreign, ...others] = foreignProducts(document.brand, products);
  if (foreign !== undefined) {
    const isOneBrand = others.every(({ brand }) => brandKey(brand) === brandKey(foreign.brand));
    return isOneBrand && isMistyped(document.brand, foreign.brand) ? [brandFix(foreign, document)] : [];
  }
  if (otherProducts(products).length === 0) return [];
  const named = bestNamed(products, document);
  const [own] = named;
  if (own === undefined) return [];
  const codes = document.standard_product_codes ?? [];
  const right = codes.filter((sent) => named.some(({ code }) => code === catalogCode(sent)));
  if (right.length === 0 || right.length === codes.length) return [];
  const text = `Keep only the product code of "${own.title}". In the catalog, the other codes belong to other products.`;
  const confidence = hasTitle(own, document) ? 'certain' : 'likely';
  return [{ confidence, source: 'catalog', patch: replaced(CODES, right), text }];
};

/** Returns the entries of the one product whose title is most like that of the offer; none if two are equally like it. */
function bestNamed(products: readonly KnownProduct[], document: ReviewedDocument): readonly KnownProduct[] {
  const words = titleWords(document.product_title);
  const scored = products.map((product) => ({ product, score: likeness(titleWords(product.title), words) }));
  const best = Math.max(...scored.map(({ score }) => score));
  const [first, ...others] = scored.filter(({ score }) => score === best).map(({ product }) => product);
  if (first === undefined || best < SAME_PRODUCT) return [];
  return others.every(({ title }) => brandKey(title) === brandKey(first.title)) ? [first, ...others] : [];
}

export const brandFixes: FixFinder = ({ document, products }, clues) => {
  const known = products === 'pending' ? [] : products;
  const brands = new Set(known.map(({ brand }) => brandKey(brand)));
  const [product] = known;
  if (product === undefined) return groupBrandFix(clues);
  return brands.size === 1 ? [brandFix(product, document)] : [];
};

/** A mistyped brand excludes an offer from its group. The catalog comes first. */
export const groupBrandFixes: FixFinder = ({ document, products, evidence }, clues) => {
  const isForeign = products !== 'pending' && foreignProducts(document.brand, products).length > 0;
  if (isForeign || evidence.group?.leftOut?.why !== 'brand_differs') return [];
  return isMistyped(document.brand, groupBrand(clues) ?? '') ? groupBrandFix(clues) : [];
};

function groupBrandFix(clues: FixClues): readonly FoundFix[] {
  const brand = groupBrand(clues);
  if (brand === undefined) return [];
  const text = `Change the brand to ${brand}, as in the other offers of the variation group.`;
  return [{ confidence: 'likely', source: 'variation_group', patch: replaced('/brand', brand), text }];
}

export const titleFixes: FixFinder = ({ document, products }) => {
  const [product] = products === 'pending' ? [] : products;
  if (product === undefined || isBlank(document.brand) || brandKey(product.brand) !== brandKey(document.brand))
    return [];
  const text = `Use the title of the catalog: "${product.title}".`;
  return [{ confidence: 'likely', source: 'catalog', patch: replaced('/product_title', product.title), text }];
};

/** The title of the offer must belong to the product too, because the code may be the mistake. */
function brandFix(product: KnownProduct, document: ReviewedDocument): FoundFix {
  const text = `Change the brand to ${product.brand}, as in the catalog.`;
  const words = titleWords(document.product_title);
  const isNamed = titleWords(product.brand).every((word) => words.includes(word));
  const confidence = hasTitle(product, document) || (isNamed && isAlike(product, document)) ? 'certain' : 'likely';
  return { confidence, source: 'catalog', patch: replaced('/brand', product.brand), text };
}

/** The brand with a typing mistake, or with more words than in the catalog. */
function isMistyped(brand: string, right: string): boolean {
  const [sent, known] = [brandKey(brand), brandKey(right)];
  const [short, long] = sent.length < known.length ? [sent, known] : [known, sent];
  return isOneEditAway(sent, known) || long.startsWith(`${short} `);
}
