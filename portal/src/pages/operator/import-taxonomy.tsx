/** Imports a taxonomy file after a preview of its changes. */
import { Alert, FileInput, List, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask, fileBody } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { useFormMutation } from '../../ui/forms/use-form-mutation.ts';
import { countOf, countText, LOCALE } from '../../ui/numbers.ts';
import { ProblemList } from '../../ui/problem-list.tsx';
import { Failed } from '../../ui/states.tsx';
import { ANNOUNCED, ApplyOn, DATE_FIELDS, type DateValues, dateQuery, ImpactText, NO_DATE } from './impact-dialog.tsx';

type Preview = components['schemas']['PreviewTaxonomyAnswer'];

interface ImportTaxonomyProps {
  readonly isOpen: boolean;
  readonly close: () => void;
}

export function ImportTaxonomy({ isOpen, close }: ImportTaxonomyProps) {
  const queryClient = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const previewing = useMutation({
    mutationFn: (chosen: File) => ask(api.POST('/taxonomy/preview', fileBody(chosen))),
  });
  const form = useForm({ initialValues: { ...NO_DATE, typed: '' } });
  const importing = useFormMutation({
    form,
    fields: DATE_FIELDS,
    mutationFn: ({ chosen, date }: { readonly chosen: File; readonly date: DateValues }) =>
      ask(
        api.POST('/taxonomy/import', {
          params: { query: { source: chosen.name, confirmed: 'true', ...dateQuery(date) } },
          ...fileBody(chosen),
        }),
      ),
    onSuccess: async ({ nodes, enforced_from: date }) => {
      notifications.show({
        message: date === null ? `Taxonomy imported: ${countOf(nodes, 'category', 'categories')}.` : ANNOUNCED,
        color: 'green',
      });
      leave();
      await queryClient.invalidateQueries();
    },
  });
  const leave = () => {
    close();
    setFile(null);
    form.reset();
    previewing.reset();
    importing.reset();
  };
  const choose = (chosen: File | null) => {
    setFile(chosen);
    form.setFieldValue('typed', '');
    previewing.reset();
    importing.reset();
    if (chosen !== null) previewing.mutate(chosen);
  };
  const isValid = previewing.data !== undefined && previewing.data.problems_total === 0;
  const removesMany = isValid && removedShare(previewing.data) > REMOVED_SHARE_MAX;
  const isConfirmed = !removesMany || form.values.typed.trim() === String(previewing.data?.removed);
  const submit = form.onSubmit(({ typed: _, ...date }) => {
    if (file !== null && isConfirmed) importing.mutate({ chosen: file, date });
  });
  return (
    <Dialog
      isOpen={isOpen}
      close={leave}
      size="xl"
      title="Import taxonomy"
      hold={importing.isPending ? 'busy' : undefined}
    >
      <form onSubmit={submit}>
        <Stack>
          <FileInput
            label="File"
            description="Offerbook's format, or Google's product taxonomy (text file with IDs)."
            placeholder="Choose a file"
            clearable
            value={file}
            onChange={choose}
          />
          {previewing.isPending && <Text role="status">Checking the file…</Text>}
          {previewing.isError && <Failed error={previewing.error} />}
          {previewing.data && <PreviewOf preview={previewing.data} />}
          <ProblemList problems={importing.problems} title="Couldn't import" />
          {isValid && <ApplyOn {...form.getInputProps('enforced_from')} />}
          {removesMany && (
            <TextInput
              label={`Type ${previewing.data.removed} to confirm`}
              description="The number of categories that are removed."
              autoComplete="off"
              required
              {...form.getInputProps('typed')}
            />
          )}
          <DialogButtons
            close={leave}
            isPending={importing.isPending}
            disabled={!isValid || !isConfirmed}
            {...(removesMany ? { color: 'red' } : {})}
          >
            {form.values.enforced_from === '' ? 'Import' : 'Announce'}
          </DialogButtons>
        </Stack>
      </form>
    </Dialog>
  );
}

function PreviewOf({ preview }: { readonly preview: Preview }) {
  if (preview.problems_total > 0) {
    return (
      <Alert color="red" title={`Can't import: ${countOf(preview.problems_total, 'problem')}`}>
        <List size="sm">
          {preview.problems.map(({ line, message }) => (
            <List.Item key={`${line} ${message}`}>
              {line !== null && `Line ${countText(line)}: `}
              {message}
            </List.Item>
          ))}
        </List>
      </Alert>
    );
  }
  const { samples } = preview;
  const share = removedShare(preview);
  return (
    <Stack>
      {share > REMOVED_SHARE_MAX && (
        <Alert color="red" title={`Removes ${PERCENT.format(share)} of the categories`}>
          {countText(preview.removed)} of {countText(categoriesBefore(preview))} categories are not in this file. Check
          that the file is complete.
        </Alert>
      )}
      {preview.impact && <ImpactText impact={preview.impact} />}
      <Text>
        {countOf(preview.nodes, 'category', 'categories')} in {preview.format === 'google' ? "Google's" : "Offerbook's"}{' '}
        format. After the import, all offers are re-reviewed. Offers in removed categories get the issue "Invalid
        category".
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <Sample title="Added" count={preview.added} lines={samples.added.map(({ path }) => path)} />
        <Sample title="Changed" count={preview.changed} lines={samples.changed.map(changeText)} />
        <Sample title="Removed" count={preview.removed} lines={samples.removed.map(({ path }) => path)} />
      </SimpleGrid>
    </Stack>
  );
}

/** An import that removes more than this share of the categories is confirmed by typing. */
const REMOVED_SHARE_MAX = 0.2;
const PERCENT = new Intl.NumberFormat(LOCALE, { style: 'percent' });

function categoriesBefore({ nodes, added, removed }: Preview): number {
  return nodes - added + removed;
}

function removedShare(preview: Preview): number {
  return preview.removed / Math.max(1, categoriesBefore(preview));
}

const WHAT: Readonly<Record<Preview['samples']['changed'][number]['what'][number], string>> = {
  name: 'name',
  parent: 'place in the tree',
  leaf: 'whether offers can be listed in it',
  active: 'active',
  tax_code: 'tax code',
  needs_group: 'requires a variation group',
  needs_code: 'requires a product code',
  new_product_data: 'data of new products',
  attributes: 'attributes',
};

/** "Toys > Balls: attributes", or "Toys > Balls (was Sports > Balls): place in the tree". */
function changeText({ path, path_before: before, what }: Preview['samples']['changed'][number]): string {
  return `${path}${before === path ? '' : ` (was ${before})`}: ${what.map((one) => WHAT[one]).join(', ')}`;
}

/** Limits the list, so that the Import button stays on the screen. */
const LINES_SHOWN_MAX = 8;

interface SampleProps {
  readonly title: string;
  readonly count: number;
  readonly lines: readonly string[];
}

function Sample({ title, count, lines }: SampleProps) {
  if (count === 0) return null;
  return (
    <Stack gap={4}>
      <Title order={3} size="h5">
        {title}: {countText(count)}
      </Title>
      {lines.slice(0, LINES_SHOWN_MAX).map((line) => (
        <Text size="sm" key={line}>
          {line}
        </Text>
      ))}
      {count > LINES_SHOWN_MAX && (
        <Text size="sm" c="dimmed">
          and {countText(count - LINES_SHOWN_MAX)} more
        </Text>
      )}
    </Stack>
  );
}
