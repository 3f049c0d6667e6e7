/** Offers as cards, for a phone: status, price and stock are visible without scrolling sideways. */
import { Checkbox, Group, Stack, Text } from '@mantine/core';
import { CardList } from '../../../ui/card-list.tsx';
import { useEnvironment, useStatusContext } from '../../../ui/environment.ts';
import { issueNames } from '../../../ui/issues.ts';
import { countText, priceText } from '../../../ui/numbers.ts';
import { OfferImage } from '../../../ui/offer-image.tsx';
import { OfferStatus } from '../../../ui/status-badge.tsx';
import { Time } from '../../../ui/time.tsx';
import { isSelected, SelectShown, toggled } from './bulk-bar.tsx';
import { OfferLink, rankText, type ShownOffers } from './offer-table.tsx';

export function OfferCards({ offers, search, selected, setSelected }: ShownOffers) {
  const environment = useEnvironment();
  const context = useStatusContext();
  const skus = offers.map(({ sku }) => sku);
  return (
    <Stack gap="xs">
      {selected && <SelectShown skus={skus} selected={selected} setSelected={setSelected} label="Select all shown" />}
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
              <Group justify="space-between" gap="xs">
                <OfferStatus status={offer.status} quantity={offer.quantity} context={context} />
                <Text size="sm" fw={600}>
                  {offer.price === null ? 'No price' : priceText(offer.price)}
                </Text>
              </Group>
              <Text size="xs" c="dimmed">
                {countText(offer.quantity)} in stock
                {offer.rank && ` · ${rankText(offer.rank)} offers`}
                {offer.sub_status.length > 0 && ` · ${issueNames(offer.sub_status)}`}
              </Text>
            </Stack>
          </Group>
        )}
      </CardList>
    </Stack>
  );
}
