/** Colours and dashes of lines: told apart also without colour. Read from the theme, because a plot is drawn on a canvas. */
const NAMES = ['accent', 'warn', 'hold', 'ok', 'bad', 'thinking', 'muted', 'faint'] as const
const DASHES: readonly (readonly number[])[] = [
  [],
  [6, 3],
  [2, 2],
  [8, 3, 2, 3],
  [],
  [6, 3],
  [2, 2],
  [8, 3, 2, 3],
]

export interface Pen {
  readonly name: (typeof NAMES)[number]
  readonly dash: readonly number[]
}

export const penOf = (at: number): Pen => ({
  name: NAMES[at % NAMES.length] ?? 'accent',
  dash: DASHES[at % DASHES.length] ?? [],
})

export const readColour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()
