/**
 * Words in what was loaded, and where they stand on the page. Marks by the browser's own highlights: nothing in the page
 * is changed, so React sees none of it. Neighbours: `find-bar.tsx`.
 */
import type { BlocksAnswer } from '../../src/api/types.ts'
import { queries } from '../core/api.ts'
import type { TurnItem } from './conversation-data.ts'
import { blocksOf, inputOf } from './turn-data.ts'
import type { TurnInput } from './turn-input.ts'

const NAME = 'find'
const MAX_MARKS = 500

/** The ids of turns that have it, of those that were loaded. */
export function findKnown(items: readonly TurnItem[], words: string): ReadonlySet<string> {
  const wanted = words.toLowerCase()
  const has = (text: string): boolean => text.toLowerCase().includes(wanted)
  return new Set(
    items.flatMap(({ id, wire }) => {
      const blocks = queries.getQueryData(blocksOf(id).queryKey)
      const input = queries.getQueryData(inputOf(id, wire).queryKey)
      return toTexts(blocks, input).some(has) ? [id] : []
    }),
  )
}

function toTexts(
  blocks: BlocksAnswer | undefined,
  input: TurnInput | undefined,
): readonly string[] {
  const answers = [blocks?.upstream, blocks?.delivered].flatMap((one) => one?.blocks ?? [])
  const said = [...(input?.said ?? []), ...(input?.results ?? [])]
  return [
    ...answers.flatMap(({ name, content }) => [name ?? '', content]),
    ...said.flatMap((part) => ('text' in part ? [part.text] : [])),
    ...(blocks?.verdicts ?? []).flatMap(({ reason, policy }) => [reason ?? '', policy]),
  ]
}

/** Underlined as well, so that colour is not all. Not in the style sheet: the tool that builds it does not know this yet. */
const LOOK = `::highlight(${NAME}) {
  background-color: var(--warn-soft); color: var(--ink); text-decoration: underline 2px var(--warn);
}`
let isStyled = false

function style(): void {
  if (isStyled) return
  isStyled = true
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(LOOK)
  document.adoptedStyleSheets.push(sheet)
}

export function markWords(place: HTMLElement, words: string): void {
  if (!('highlights' in CSS)) return
  style()
  const ranges = toRanges(place, words.toLowerCase())
  if (ranges.length === 0) CSS.highlights.delete(NAME)
  else CSS.highlights.set(NAME, new Highlight(...ranges))
}

export function clearMarks(): void {
  if ('highlights' in CSS) CSS.highlights.delete(NAME)
}

function toRanges(place: Node, wanted: string): readonly Range[] {
  const ranges: Range[] = []
  const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node.nodeValue?.toLowerCase() ?? ''
    for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
      const range = document.createRange()
      range.setStart(node, at)
      range.setEnd(node, at + wanted.length)
      ranges.push(range)
      if (ranges.length >= MAX_MARKS) return ranges
    }
  }
  return ranges
}

const WAIT_MS = 80
const WAITS = 25

/** To the first mark in a turn, once it is drawn. */
export function scrollToMark(place: HTMLElement | null, id: string, tries = 0): void {
  const turn = place?.querySelector(`[data-turn="${CSS.escape(id)}"]`)
  const marks = 'highlights' in CSS ? [...(CSS.highlights.get(NAME) ?? [])] : []
  const mark = marks.find((one) => turn?.contains(one.startContainer) === true)
  const element = mark?.startContainer.parentElement
  if (element != null) element.scrollIntoView({ block: 'center' })
  else if (tries < WAITS) setTimeout(() => scrollToMark(place, id, tries + 1), WAIT_MS)
}
