/** Lists all checks of a review, with what each of them found. */
import { Badge, Checkbox, Code, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { readableExact } from '../../../../api/exact-json.ts';
import type { Review, ReviewCheck } from '../../../../api/offer.ts';
import { remedyInPageWords } from '../../../../ui/forms/page-words.ts';
import { checkColor } from '../../../../ui/status-badge.tsx';

/** Why each check passed. */
const PASSED: Readonly<Record<ReviewCheck['check'], string>> = {
  archive: 'The offer is not archived.',
  exclusion: 'No marketplace policy excludes the offer.',
  authorization: 'You are allowed to sell this brand.',
  title: 'The offer has a title.',
  brand: 'The offer has a brand.',
  product_codes: 'The product codes are valid.',
  catalog: 'The product codes identify the product.',
  category: 'The offer has a category.',
  category_node: 'Offers can be listed in the category.',
  attributes: 'The category attributes are complete and valid.',
  product_data: 'The offer has the data required for a new product.',
  variation_group: 'No variation group issues.',
  multipack_quantity: 'The multipack quantity does not contradict the title.',
  main_image: 'The main image is suitable.',
  alternate_images: 'The alternate images are suitable.',
  price: 'The offer has a price.',
  shipping_weight: 'No shipping weight issues.',
};

interface CheckListProps {
  readonly review: Review;
  readonly names: Readonly<Record<ReviewCheck['check'], string>>;
}

export function CheckList({ review, names }: CheckListProps) {
  const [hasData, setHasData] = useState(false);
  return (
    <Stack gap="sm" pt="sm">
      {hasData && (
        <Text size="sm">
          Status in the API: <Code>{review.status}</Code>
        </Text>
      )}
      {review.checks.map((check) => (
        <Stack key={check.check} gap={4}>
          <Group gap="xs" wrap="nowrap" align="flex-start">
            <Badge variant="light" color={checkColor(check)} tt="none" w={80} flex="none">
              {check.state}
            </Badge>
            <Text size="sm">
              <strong>{names[check.check]}</strong>: {sentenceOf(check)}
            </Text>
          </Group>
          {hasData && (
            <Code block className="wrapped">
              {readableExact({ check: check.check, code: check.code, evidence: check.evidence })}
            </Code>
          )}
        </Stack>
      ))}
      <Checkbox
        label="Show the data for each check, as returned by the API"
        checked={hasData}
        onChange={(event) => setHasData(event.currentTarget.checked)}
      />
    </Stack>
  );
}

function sentenceOf(check: ReviewCheck): string {
  if (check.state === 'passed') return PASSED[check.check];
  if (check.state === 'skipped') return String((check.evidence as { reason?: string }).reason ?? '');
  return remedyInPageWords(check);
}
