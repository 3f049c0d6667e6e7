/** What the forms for the parts of an offer share: their properties, and the reload after one was saved. */
import { useQueryClient } from '@tanstack/react-query';
import { type OfferKey, refreshOffer } from '../../../api/offer.ts';

export interface OfferPartProps {
  readonly offerKey: OfferKey;
  /** Whether the user may edit; false for viewers and for archived offers. */
  readonly mayChange: boolean;
}

/** Reloads all parts of the offer after one was saved. */
export function useOfferRefresh(offerKey: OfferKey): () => Promise<void> {
  const queryClient = useQueryClient();
  return () => refreshOffer(queryClient, offerKey);
}
