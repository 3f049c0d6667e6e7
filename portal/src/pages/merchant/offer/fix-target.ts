/** Finds the field of an offer's page that fixes an issue, and focuses it. */
import { type RefObject, useEffect } from 'react';
import type { ReviewCheck } from '../../../api/offer.ts';
import type { OfferTab } from '../../../api/offer-tabs.ts';

export interface FixTarget {
  readonly tab: OfferTab;
  /** CSS selectors; the first that matches a visible field is focused. */
  readonly fields: readonly string[];
}

const dataField = (...paths: readonly string[]): FixTarget => ({ tab: 'data', fields: paths.map(byPath) });

const TARGETS: Readonly<Partial<Record<ReviewCheck['check'], FixTarget>>> = {
  exclusion: dataField('plain.brand'),
  authorization: dataField('plain.brand'),
  title: dataField('plain.product_title'),
  brand: dataField('plain.brand'),
  product_codes: dataField('codes.0.code', 'plain.ASIN'),
  catalog: dataField('codes.0.code', 'plain.ASIN'),
  category: dataField('category'),
  category_node: dataField('category'),
  multipack_quantity: dataField('plain.multipack_quantity'),
  main_image: dataField('plain.main_image_url'),
  alternate_images: dataField('images.0.url', 'plain.swatch_image_url'),
  shipping_weight: dataField('plain.shipping_weight_pounds'),
  price: { tab: 'sale', fields: [byPath('price')] },
  variation_group: { tab: 'group', fields: [byPath('children_skus')] },
};

/** Returns undefined if no field fixes the issue. */
export function fixTarget({ check, evidence }: ReviewCheck): FixTarget | undefined {
  if (check === 'product_data') {
    const { missing = [] } = evidence as { missing?: string[] };
    return dataField(...missing.map((field) => `plain.${field}`));
  }
  if (check !== 'attributes') return TARGETS[check];
  const { faults = [] } = evidence as { faults?: { attribute_id: number | bigint }[] };
  return { tab: 'data', fields: faults.map(({ attribute_id: id }) => `[data-attribute="${id}"]`) };
}

function byPath(path: string): string {
  return `[data-path="${path}"]`;
}

/** Focuses the target's field as soon as it is visible: its tab may still have to open and load. */
export function useFocusField(container: RefObject<HTMLElement | null>, target: FixTarget | undefined): void {
  useEffect(() => {
    const within = container.current;
    if (within === null || target === undefined) return;
    const focused = () => {
      const found = target.fields.flatMap((field) => [...within.querySelectorAll<HTMLElement>(field)]);
      const field = found.find((one) => one.checkVisibility());
      field?.scrollIntoView({ block: 'center' });
      field?.focus({ preventScroll: true });
      return field !== undefined;
    };
    if (focused()) return;
    const observer = new MutationObserver(() => {
      if (focused()) observer.disconnect();
    });
    observer.observe(within, { childList: true, subtree: true, attributeFilter: ['style'] });
    return () => observer.disconnect();
  }, [container, target]);
}
