/** The tabs of an offer's page, as its URL names them. */
export const OFFER_TABS = ['sale', 'data', 'group', 'exceptions', 'history'] as const;

export type OfferTab = (typeof OFFER_TABS)[number];

export interface OfferPlace {
  /** The open tab; absent for the first one. */
  readonly tab?: OfferTab;
}

export function readOfferPlace({ tab }: Record<string, unknown>): OfferPlace {
  const found = OFFER_TABS.find((one) => one === tab);
  return found === undefined || found === OFFER_TABS[0] ? {} : { tab: found };
}
