/** Offers as cards, for a phone: status, price and stock are visible without scrolling sideways. */
import { Checkbox, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CardList } from '../../../ui/card-list.tsx';
import { useEnvironment, useStatusContext } from '../../../ui/environment.ts';
import { issueNames } from '../../../ui/issues.ts';
import { OfferImage } from '../../../ui/offer-image.tsx';
import { OfferStatus } from '../../../ui/status-badge.tsx';
import { Time } from '../../../ui/time.tsx';
import { isSelected, SelectShown, toggled } from './bulk-bar.tsx';
import { PriceCell, StockCell } from './offer-cells.tsx';
import classes from './offer-list.module.css';
import { OfferLink, rankText, type ShownOffers } from './offer-table.tsx';

export function OfferCards({ offers, search, selected, setSelected, edits, isPrevious }: ShownOffers) {
  const environment = useEnvironment();
  const context = useStatusContext();
  const skus = offers.map(({ sku }) => sku);
  return (
    <Stack gap="xs">
      {selected && <SelectShown skus={skus} selected={selected} setSelected={setSelected} label="Select all shown" />}
      <div inert={isPrevious}>
        <CardList rows={offers} keyOf={({ sku }) => sku}>
          {(offer) => (
            <Group wrap="nowrap" align="flex-start" gap="sm">
              {selected && (
                <Checkbox
                  aria-label={`Select ${offer.sku}`}
                  checked={isSelected(selected, offer.sku)}
                  onChange={() => setSelected(toggled(selected, offer.sku, skus))}
                />
              )}
              <OfferImage address={offer.image} size={48} />
              <Stack gap={4} miw={0} flex={1}>
                <OfferLink offer={offer} search={search} environment={environment} lines={2} />
                <Text size="xs" c="dimmed" className="anywhere">
                  {offer.sku} · <Time at={offer.updated} relative />
                </Text>
                <Group gap="xs">
                  <OfferStatus status={offer.status} quantity={offer.quantity} context={context} />
                  <Text size="xs" c="dimmed">
                    {[offer.rank && `${rankText(offer.rank)} offers`, issueNames(offer.sub_status)]
                      .filter(Boolean)
                      .join(' · ')}
                  </Text>
                </Group>
                <Group gap="lg" className={classes.figures}>
                  <Figure name="Price">
                    <PriceCell offer={offer} edits={edits} />
                  </Figure>
                  <Figure name="Stock">
                    <StockCell offer={offer} edits={edits} />
                  </Figure>
                </Group>
              </Stack>
            </Group>
          )}
        </CardList>
      </div>
    </Stack>
  );
}

function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <Group gap={6} wrap="nowrap" fz="sm" className="number">
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      {children}
    </Group>
  );
}
