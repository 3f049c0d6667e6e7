/**
 * Cell of the offer list whose value is edited in place: Tab saves it and opens the next cell, Enter saves it, Esc undoes it. The new value is
 * shown at once; a problem is shown next to the cell, with what was typed.
 */
import { Button, Group, Popover, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import {
  type ComponentProps,
  type ComponentType,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { nodesQuery } from '../../../api/account-settings.ts';
import { onlyIf } from '../../../api/client.ts';
import { type ListedOffer, showInLists } from '../../../api/offers.ts';
import { whenOnline } from '../../../api/offline.ts';
import { ApiError } from '../../../api/problem.ts';
import { useEnvironment } from '../../../ui/environment.ts';
import { inPageWords } from '../../../ui/forms/page-words.ts';
import { useUnsaved } from '../../../ui/forms/unsaved.tsx';
import classes from './offer-list.module.css';

type Row = Partial<Pick<ListedOffer, 'price' | 'quantity'>>;

/** A new value, with what the list shows for it. */
export interface ListedValue {
  readonly row: Row;
}

/** Counts the cells that are being edited. The list is read again when there is none, so that no row moves while the user types. */
export interface Edits {
  readonly open: () => void;
  readonly close: () => void;
  readonly noteSaved: () => void;
}

/** Returns whether a cell is being edited, too. The cells of another list are closed. */
export function useEdits(list: unknown): readonly [isOpen: boolean, Edits] {
  const environment = useEnvironment();
  const queryClient = useQueryClient();
  const [cells, setCells] = useState(0);
  // Where the stock is edited depends on the number of locations, so they are read before.
  useQuery(nodesQuery(environment));
  // biome-ignore lint/correctness/useExhaustiveDependencies: each list has its own object, by which cells know their list.
  const edits = useMemo(
    () => ({
      open: () => {
        setCells((before) => before + 1);
        void queryClient.cancelQueries({ queryKey: ['offers', environment, 'list'] });
      },
      close: () => setCells((before) => before - 1),
      noteSaved: () => void queryClient.invalidateQueries({ queryKey: ['offers', environment], refetchType: 'none' }),
    }),
    [environment, queryClient, list],
  );
  return [cells > 0, edits];
}

export interface CellProps {
  readonly offer: ListedOffer;
  readonly edits: Edits;
  /** Called when the value is saved or undone. */
  readonly done: (hasFocus: boolean) => void;
}

interface ValueCellProps {
  readonly offer: ListedOffer;
  readonly edits: Edits;
  readonly name: string;
  readonly text: string;
  /** The cell while its value is edited. A list has a hundred cells, so only this one has state. */
  readonly Cell: ComponentType<CellProps>;
}

export function ValueCell({ offer, edits, name, text, Cell }: ValueCellProps) {
  const [opened, setOpened] = useState<Edits>();
  const [hasFocus, setFocus] = useState(false);
  const close = (isFocused: boolean) => {
    setFocus(isFocused);
    setOpened(undefined);
  };
  if (opened === edits) return <Cell offer={offer} edits={edits} done={close} />;
  return (
    <div className={classes.cell} data-cell>
      <ValueButton autoFocus={hasFocus} name={name} onClick={() => setOpened(edits)}>
        {text}
      </ValueButton>
    </div>
  );
}

interface ValueButtonProps extends ComponentProps<'button'> {
  readonly name: string;
}

function ValueButton({ name, ...props }: ValueButtonProps) {
  return <button type="button" className={classes.value} title={`Edit ${name.toLowerCase()}`} {...props} />;
}

export interface FieldsProps<Part, Value> {
  readonly offer: ListedOffer;
  readonly reading: Promise<Part>;
  /** What was typed before. */
  readonly edited: Value | undefined;
  /** Undefined if nothing is changed. */
  readonly setEdited: (value: Value | undefined) => void;
}

type Etagged = { readonly etag: string | null } | null;

interface EditableCellProps<Part extends Etagged, Value extends ListedValue> extends CellProps {
  readonly name: string;
  readonly text: (row: Pick<ListedOffer, 'price' | 'quantity'>) => string;
  /** Whether the fields are below the cell instead of in it. */
  readonly isBelow?: boolean;
  readonly read: () => Promise<Part>;
  /** What the list shows for the stored part. */
  readonly stored: (part: Part) => Row;
  readonly doubt?: (value: Value, part: Part) => string | undefined;
  readonly write: (value: Value, part: Part, header: ReturnType<typeof onlyIf>) => Promise<unknown>;
  readonly Fields: ComponentType<FieldsProps<Part, Value>>;
}

/** The value was changed elsewhere, or may be a mistake. It can be saved over this part. */
class Refused<Part> extends Error {
  readonly part: Part;

  constructor(message: string, part: Part) {
    super(message);
    this.part = part;
  }
}

interface Sent<Part, Value> {
  readonly value: Value;
  /** The part over which the user decided to save. */
  readonly over?: Part;
}

export function EditableCell<Part extends Etagged, Value extends ListedValue>(cell: EditableCellProps<Part, Value>) {
  const { offer, edits, done, name, text, isBelow = false, read, stored, doubt, write, Fields } = cell;
  const environment = useEnvironment();
  const queryClient = useQueryClient();
  const readQuietly = () => {
    const part = read();
    // A failure is shown when the value is saved.
    part.catch(() => undefined);
    return part;
  };
  const [reading, setReading] = useState<Promise<Part> | undefined>(readQuietly);
  const [isDone, setDone] = useState(false);
  const edited = useRef<Value>(undefined);
  const button = useRef<HTMLButtonElement>(null);
  const takesFocus = useRef(false);
  const isShown = useRef(true);
  // The field is left once more when it disappears.
  const isOpen = useRef(true);
  const show = (row: Row) => showInLists(queryClient, environment, offer.sku, row);
  const refuse = (part: Part) => new Refused(`Changed elsewhere: now ${text({ ...offer, ...stored(part) })}.`, part);

  const saving = useMutation({
    mutationFn: async ({ value, over }: Sent<Part, Value>) => {
      // The query below would wait too, but unseen.
      await whenOnline();
      const part = over === undefined ? await (reading ?? read()) : over;
      if (over === undefined) {
        const now = { ...offer, ...stored(part) };
        if (now.price !== offer.price || now.quantity !== offer.quantity) throw refuse(part);
        const question = doubt?.(value, part);
        if (question !== undefined) throw new Refused(question, part);
      }
      try {
        await write(value, part, onlyIf(part?.etag ?? null));
      } catch (error) {
        if (error instanceof ApiError && error.has('precondition_failed')) throw refuse(await read());
        throw error;
      }
    },
    onSuccess: (_answer, { value }) => {
      edited.current = undefined;
      show(value.row);
      edits.noteSaved();
      setDone(true);
    },
    onError: (error) => {
      // Undo then shows the stored value, and Edit starts from it.
      if (error instanceof Refused) show(stored(error.part as Part));
      if (isShown.current) return;
      notifications.show({ message: `${name} of ${offer.sku} is not saved. ${messageOf(error)}`, color: 'red' });
    },
  });
  const isTyping = reading !== undefined;
  const { open, close } = edits;
  useEffect(() => {
    isShown.current = true;
    open();
    return () => {
      isShown.current = false;
      close();
    };
  }, [open, close]);
  useUnsaved(true);
  useEffect(() => {
    if (isTyping || !takesFocus.current) return;
    takesFocus.current = false;
    button.current?.focus();
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, after the button took the focus.
  useEffect(() => {
    if (isDone) done(document.activeElement === button.current);
  }, [isDone]);

  const begin = () => {
    if (saving.isPending) return;
    isOpen.current = true;
    setReading(readQuietly());
  };
  const undo = () => {
    isOpen.current = false;
    edited.current = undefined;
    setReading(undefined);
    setDone(true);
  };
  const submit = () => {
    const value = edited.current;
    if (!isOpen.current) return;
    if (value === undefined) return undo();
    isOpen.current = false;
    saving.mutate({ value });
    setReading(undefined);
  };
  const sent = saving.isPending || saving.isError ? saving.variables?.value : undefined;
  const form = reading && (
    <CellForm
      submit={submit}
      leave={(how) => {
        takesFocus.current = true;
        if (how === 'undo') undo();
      }}
    >
      <Fields
        offer={offer}
        reading={reading}
        edited={edited.current}
        setEdited={(value) => {
          edited.current = value;
        }}
      />
    </CellForm>
  );
  return (
    <div className={classes.cell} data-cell data-typing={isTyping || undefined}>
      {isTyping && !isBelow ? (
        <div className={classes.field}>{form}</div>
      ) : (
        <ValueButton
          ref={button}
          name={name}
          data-saving={saving.isPending || undefined}
          data-refused={saving.isError || undefined}
          onClick={begin}
        >
          {text({ ...offer, ...sent?.row })}
        </ValueButton>
      )}
      {isTyping && isBelow && <Below label={`${name} of ${offer.sku}`}>{form}</Below>}
      {saving.isError && !isTyping && (
        <Below label={`${name} of ${offer.sku} is not saved`} role="alert">
          <Stack gap="xs" maw={280}>
            <Text size="sm">{messageOf(saving.error)}</Text>
            <Group gap="xs">
              {saving.error instanceof Refused && sent !== undefined && (
                <Button
                  size="compact-sm"
                  variant="default"
                  onClick={() => saving.mutate({ value: sent, over: (saving.error as unknown as Refused<Part>).part })}
                >
                  Save {text({ ...offer, ...sent.row })}
                </Button>
              )}
              <Button size="compact-sm" variant="default" onClick={begin}>
                Edit
              </Button>
              <Button size="compact-sm" variant="subtle" onClick={undo}>
                Undo
              </Button>
            </Group>
          </Stack>
        </Below>
      )}
    </div>
  );
}

function messageOf(error: Error): string {
  return (inPageWords(error) ?? error).message;
}

interface BelowProps {
  readonly label: string;
  readonly role?: 'alert' | 'group';
  readonly children: ReactNode;
}

function Below({ label, role = 'group', children }: BelowProps) {
  return (
    // Fixed: a field that takes the focus while the popover finds its place cannot move the page sideways.
    <Popover opened position="bottom-end" floatingStrategy="fixed" withArrow shadow="md" withRoles={false}>
      <Popover.Target>
        <span className={classes.anchor} />
      </Popover.Target>
      <Popover.Dropdown role={role} aria-label={label}>
        {children}
      </Popover.Dropdown>
    </Popover>
  );
}

interface CellFormProps {
  readonly submit: () => void;
  /** Called before Enter saves, and when Esc undoes, because the cell then takes the focus. */
  readonly leave: (how: 'save' | 'undo') => void;
  readonly children: ReactNode;
}

function CellForm({ submit, leave, children }: CellFormProps) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => focusFirst(form.current), []);
  const press = (event: KeyboardEvent<HTMLFormElement>) => {
    const { currentTarget: fields, target, key, shiftKey } = event;
    if (key === 'Escape') leave('undo');
    if (key === 'Enter' && target instanceof HTMLInputElement) {
      event.preventDefault();
      if (!fields.reportValidity()) return;
      leave('save');
      fields.requestSubmit();
    }
    if (key !== 'Tab') return;
    const step = shiftKey ? -1 : 1;
    const controls = [...fields.querySelectorAll<HTMLElement>('input, button')];
    if (controls[controls.indexOf(target as HTMLElement) + step] !== undefined) return;
    if (!fields.reportValidity()) return event.preventDefault();
    const next = cellAfter(step);
    if (next === undefined) return;
    event.preventDefault();
    fields.requestSubmit();
    next.click();
  };
  return (
    <form
      ref={form}
      onKeyDown={press}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        // Another window may have taken the focus: the user comes back to the field.
        if (document.hasFocus() && !currentTarget.contains(relatedTarget)) currentTarget.requestSubmit();
      }}
    >
      {children}
    </form>
  );
}

/** Fields that arrive later call this again. */
export function focusFirst(fields: HTMLElement | null): void {
  const first = fields?.querySelector('input');
  first?.focus();
  first?.select();
}

/** Returns the button of the cell that comes after the one that is edited, or before it. */
function cellAfter(step: 1 | -1): HTMLElement | undefined {
  const cells = [...document.querySelectorAll('[data-cell]')];
  const at = cells.findIndex((cell) => cell.hasAttribute('data-typing'));
  return cells[at + step]?.querySelector('button') ?? undefined;
}
