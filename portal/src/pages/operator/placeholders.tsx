/** Placeholder images page: images that count as missing in a review, logos and watermarks. */
import { Button, Code, FileInput, Group, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask, fileBody } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { RemoveButton } from '../../ui/confirm.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Empty, Failed } from '../../ui/states.tsx';
import { AnnouncedMark } from './announced-mark.tsx';
import { type ChangeQuery, ImpactDialog, type RuleChange } from './impact-dialog.tsx';
import { RecentChanges } from './recent-changes.tsx';

export function PlaceholdersPage() {
  const placeholders = useQuery({ queryKey: ['placeholders'], queryFn: () => ask(api.GET('/placeholders')) });
  return (
    <Page
      title="Placeholder images"
      about="Offers count as having no image if they use one of these placeholders or logos, or an image with one of these watermarks. Common placeholders are built in."
    >
      <AnnouncedMark rule="Placeholder" />
      <Panel title="Add placeholder, logo or watermark">
        <AddPlaceholder />
      </Panel>
      <Panel title="Added by operators">
        <QueryView query={placeholders} what="placeholders">
          {({ placeholders: shown }) =>
            shown.length === 0 ? (
              <Empty title="No placeholders added">Add an image above.</Empty>
            ) : (
              <PlaceholderTable placeholders={shown} />
            )
          }
        </QueryView>
      </Panel>
      <RecentChanges />
    </Page>
  );
}

function AddPlaceholder() {
  const [change, setChange] = useState<RuleChange>();
  const form = useForm({
    initialValues: { image: null as File | null, note: '', kind: 'placeholder' as Placeholder['kind'] },
    validate: { image: (image) => (image === null ? 'Choose an image.' : null) },
  });
  const adding = useMutation({
    mutationFn: async ({ image, note, kind }: Omit<Placeholder, 'hash'> & { image: File }): Promise<RuleChange> => {
      const send = (query: ChangeQuery) =>
        ask(api.POST('/placeholders', { params: { query: { note, kind, ...query } }, ...fileBody(image) }));
      const { impact } = await send({ preview: 'true' });
      return {
        title: `Add ${kind}`,
        action: 'Add',
        isDated: true,
        about: kind === 'placeholder' ? note : `${note}: ${FETCHED_AGAIN}`,
        send,
        impact,
        done: form.reset,
      };
    },
    onSuccess: setChange,
  });
  return (
    <form
      onSubmit={form.onSubmit(({ image, ...fields }) => {
        if (image !== null) adding.mutate({ image, ...fields });
      })}
    >
      <Stack maw={480}>
        <ImpactDialog change={change} close={() => setChange(undefined)} />
        {adding.isError && <Failed error={adding.error} />}
        <Select label="Kind" data={KINDS} allowDeselect={false} {...form.getInputProps('kind')} />
        <FileInput
          label="Image"
          accept="image/jpeg,image/png"
          placeholder="Choose an image"
          required
          clearable
          {...form.getInputProps('image')}
        />
        <TextInput label="Source" required {...form.getInputProps('note')} />
        <Group>
          <Button type="submit" loading={adding.isPending}>
            Add
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const KINDS = [
  { value: 'placeholder', label: 'Placeholder' },
  { value: 'logo', label: 'Logo: the image shows nothing else' },
  { value: 'watermark', label: 'Watermark: laid over the image' },
];
const FETCHED_AGAIN = 'images are fetched again to search for it, so this estimate does not count them.';

type Placeholder = components['schemas']['ListPlaceholdersAnswer']['placeholders'][number];

function PlaceholderTable({ placeholders }: { readonly placeholders: readonly Placeholder[] }) {
  const [removal, setRemoval] = useState<RuleChange>();
  const begin = ({ hash, note, kind }: Placeholder) =>
    setRemoval({
      title: `Remove ${kind}`,
      action: 'Remove',
      isDated: true,
      about: `${note}: images that show it will count as product images, and their offers are re-reviewed.`,
      send: (query: ChangeQuery) => ask(api.DELETE('/placeholders/{hash}', { params: { path: { hash }, query } })),
    });
  return (
    <>
      <ImpactDialog change={removal} close={() => setRemoval(undefined)} />
      <DataTable
        minWidth={560}
        rows={placeholders}
        keyOf={({ hash }) => hash}
        columns={[
          { head: 'Kind', cell: ({ kind }) => KINDS.find(({ value }) => value === kind)?.label.split(':')[0] },
          { head: 'Hash', cell: ({ hash }) => <Code>{hash}</Code> },
          { head: 'Source', cell: ({ note }) => note },
        ]}
        actions={(placeholder) => <RemoveButton what={placeholder.hash} remove={() => begin(placeholder)} />}
      />
    </>
  );
}
