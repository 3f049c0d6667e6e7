/** Adds children to a variation group: finds offers by search, and suggests those that are like the parent. */
import { Group, TagsInput, type TagsInputProps, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { LIMITS } from '#domain/limits.ts';
import type { Offer, OfferKey } from '../../../../api/offer.ts';
import { type ListedOffer, offersQuery } from '../../../../api/offers.ts';
import { useSearchWords } from '../../../../ui/forms/search-select.tsx';
import { OfferImage } from '../../../../ui/offer-image.tsx';

/** Later words of a title are often the size or the color, in which the siblings differ. */
const STEM_WORDS_MAX = 3;

interface ChildSkusInputProps extends Omit<TagsInputProps, 'value' | 'onChange'> {
  readonly parent: OfferKey;
  readonly offer: Offer;
  readonly value?: readonly string[];
  readonly onChange: (skus: string[]) => void;
}

export function ChildSkusInput({ parent, offer, value = [], onChange, ...props }: ChildSkusInputProps) {
  const { environment, sku } = parent;
  const search = useSearchWords();
  const isSuggestion = search.words === '';
  const q = (isSuggestion ? siblingWords(offer) : search.words).slice(0, LIMITS.offer_search_characters_max);
  const found = useQuery({ ...offersQuery(environment, { q }), enabled: q !== '' });
  const offers = (found.data?.offers ?? []).filter(
    (one) => one.sku !== sku && !one.archived && !value.includes(one.sku),
  );
  const titles = new Map(offers.map((one) => [one.sku, one]));
  return (
    <TagsInput
      label="Add offers"
      description="Search by title, brand or SKU, or enter a SKU ID."
      placeholder="Search offers"
      data={
        isSuggestion && offers.length > 0
          ? [{ group: 'Similar offers', items: [...titles.keys()] }]
          : [...titles.keys()]
      }
      // The server has already filtered by title and brand, which are not in the value.
      filter={({ options }) => options}
      renderOption={({ option }) => <OfferOption sku={option.value} offer={titles.get(option.value)} />}
      // Otherwise, leaving the field would add the search words as a SKU.
      acceptValueOnBlur={false}
      onSearchChange={search.type}
      {...props}
      // The table lists the children.
      value={[]}
      onChange={(added) => onChange([...new Set([...value, ...added])])}
    />
  );
}

interface OfferOptionProps {
  readonly sku: string;
  readonly offer: Pick<ListedOffer, 'image' | 'title'> | undefined;
}

export function OfferOption({ sku, offer }: OfferOptionProps) {
  return (
    <Group gap="sm" wrap="nowrap">
      <OfferImage address={offer?.image ?? null} size={32} />
      <div>
        <Text size="sm" lineClamp={1}>
          {offer?.title}
        </Text>
        <Text size="xs" c="dimmed" className="anywhere">
          {sku}
        </Text>
      </div>
    </Group>
  );
}

/** Brand and the start of the title, by which siblings are searched. */
export function siblingWords({ brand, product_title: title }: Offer): string {
  const [stem = ''] = title.split(/[,;:(|]| [-–—] /);
  return [brand, ...stem.split(/\s+/).slice(0, STEM_WORDS_MAX)].join(' ').trim();
}
