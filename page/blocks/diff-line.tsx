/** One line of a difference: its numbers, its sign, and what of it is new or gone. */
import type { ReactElement } from 'react'
import { classes } from '../kit/classes.ts'
import type { DiffRow } from './diff-rows.ts'
import { showHidden } from './plain.ts'

export const SIDES = ['left', 'right'] as const

const LOOKS: Readonly<Record<DiffRow['type'], string>> = {
  same: '',
  removed: 'bg-bad-soft',
  added: 'bg-ok-soft',
}
const SIGNS: Readonly<Record<DiffRow['type'], string>> = { same: ' ', removed: '−', added: '+' }
const INKS: Readonly<Record<DiffRow['type'], string>> = {
  same: 'text-faint',
  removed: 'text-bad',
  added: 'text-ok',
}
/** Beyond this a line is cut: one of a megabyte would stop the page. */
const MAX_LINE = 5000

export function DiffLine({
  row,
  side,
  isBare = false,
}: {
  readonly row: DiffRow
  readonly side: 'left' | 'right' | 'both'
  readonly isBare?: boolean
}): ReactElement {
  return (
    <div className={classes('flex min-w-0 leading-[18px]', LOOKS[row.type])}>
      {isBare ? null : (
        <>
          {side === 'right' ? null : <LineNumber of={row.left} />}
          {side === 'left' ? null : <LineNumber of={row.right} />}
        </>
      )}
      <span className={classes('w-5 shrink-0 text-center select-none', INKS[row.type])}>
        {SIGNS[row.type]}
      </span>
      <span className="verbatim min-w-0 flex-1 pr-2">
        {row.words === undefined
          ? cut(row.text)
          : row.words.map(({ text, isChanged }, at) =>
              isChanged ? (
                <mark
                  key={at}
                  className={classes(
                    'rounded-xs bg-transparent font-semibold underline decoration-1 underline-offset-2',
                    INKS[row.type],
                  )}
                >
                  {showHidden(text)}
                </mark>
              ) : (
                showHidden(text)
              ),
            )}
      </span>
    </div>
  )
}

const LineNumber = ({ of }: { readonly of: number | undefined }): ReactElement => (
  <span className="tabular w-10 shrink-0 pr-1.5 text-right text-muted select-none">{of}</span>
)

const cut = (text: string): string =>
  text.length > MAX_LINE
    ? `${showHidden(text.slice(0, MAX_LINE))}… (${text.length} characters)`
    : showHidden(text)
