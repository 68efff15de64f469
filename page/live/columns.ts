/**
 * The columns of the list: what each is called, how wide it is, and which go first when there is no room. Neighbours:
 * `row-line.tsx` fills them, `columns-menu.tsx` turns them on and off. Knows no component.
 */
export type ColumnId =
  | 'state'
  | 'time'
  | 'client'
  | 'key'
  | 'model'
  | 'upstream'
  | 'wires'
  | 'status'
  | 'duration'
  | 'firstByte'
  | 'input'
  | 'output'
  | 'cost'
  | 'tools'
  | 'verdicts'

export interface Column {
  readonly id: ColumnId
  readonly label: string
  readonly says: string
  /** Pixels; with `grow` it takes its part of what is left. */
  readonly width: number
  readonly grow?: number
  readonly isRight?: boolean
  /** Those with the highest go first when there is no room. */
  readonly rank: number
  /** Shown only if somebody asks for it. */
  readonly isExtra?: boolean
}

export const COLUMNS: readonly Column[] = [
  { id: 'state', label: '', says: 'State', width: 14, rank: 0 },
  { id: 'time', label: 'Time', says: 'When it began', width: 70, rank: 3 },
  { id: 'client', label: 'Client', says: 'Who asked', width: 92, grow: 1, rank: 6 },
  { id: 'key', label: 'Key', says: 'The gateway key', width: 72, grow: 1, rank: 7, isExtra: true },
  { id: 'model', label: 'Model', says: 'The model asked for', width: 120, grow: 2.2, rank: 0 },
  { id: 'upstream', label: 'Upstream', says: 'Who answered', width: 68, grow: 0.8, rank: 10 },
  { id: 'wires', label: 'Wire', says: 'Client → upstream', width: 104, grow: 0.5, rank: 13 },
  {
    id: 'status',
    label: 'Status',
    says: 'HTTP status, or how it ended',
    width: 44,
    isRight: true,
    rank: 4,
  },
  {
    id: 'duration',
    label: 'Duration',
    says: 'From the first byte in to the last byte out',
    width: 64,
    isRight: true,
    rank: 2,
  },
  {
    id: 'firstByte',
    label: 'First byte',
    says: 'Until the first byte left',
    width: 58,
    isRight: true,
    rank: 12,
  },
  { id: 'input', label: 'In', says: 'Input tokens', width: 42, isRight: true, rank: 9 },
  { id: 'output', label: 'Out', says: 'Output tokens', width: 42, isRight: true, rank: 8 },
  { id: 'cost', label: 'Cost', says: 'Cost in US dollars', width: 56, isRight: true, rank: 11 },
  { id: 'tools', label: 'Tools', says: 'Tools that were called', width: 76, grow: 1.2, rank: 5 },
  { id: 'verdicts', label: 'Verdicts', says: 'What policies decided', width: 84, grow: 1, rank: 1 },
]

/** Between two columns, and at both ends of a row. */
const COLUMN_GAP = 10
const ROW_PADDING = 12

/** Below this, a row has two lines and no columns. */
const TWO_LINES = 460

export const ROW_HEIGHT = 30
export const TALL_ROW_HEIGHT = 50

export const isTall = (width: number): boolean => width > 0 && width < TWO_LINES

/** `choice`: ids of columns that are not as they are by default. */
export const isChosen = ({ id, isExtra = false }: Column, choice: readonly string[]): boolean =>
  choice.includes(id) === isExtra

/** Those that a person wants, without those for which there is no room. `isPriced`: some line has a cost. */
export function fitColumns(
  width: number,
  choice: readonly string[],
  isPriced = true,
): readonly Column[] {
  const wanted = COLUMNS.filter(
    (column) => isChosen(column, choice) && (isPriced || column.id !== 'cost'),
  )
  const kept = new Set(wanted)
  for (const column of wanted.toSorted((one, other) => other.rank - one.rank)) {
    if (toWidth([...kept]) <= width || column.rank === 0) break
    kept.delete(column)
  }
  return wanted.filter((column) => kept.has(column))
}

const toWidth = (columns: readonly Column[]): number =>
  columns.reduce((sum, column) => sum + column.width, 0) +
  COLUMN_GAP * (columns.length - 1) +
  2 * ROW_PADDING

/** For `grid-template-columns`. */
export const toTemplate = (columns: readonly Column[]): string =>
  columns
    .map(({ width, grow }) => (grow === undefined ? `${width}px` : `minmax(${width}px, ${grow}fr)`))
    .join(' ')

/** The choice with that column turned around. */
export const turn = (choice: readonly string[], id: ColumnId): readonly string[] =>
  choice.includes(id) ? choice.filter((one) => one !== id) : [...choice, id]
