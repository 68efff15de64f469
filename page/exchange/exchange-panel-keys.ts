/**
 * Walking over blocks by keys. Neighbours: the panel. Goes by what is on the page, so that no block is drawn again when
 * another one is chosen.
 */
const BLOCK = '[data-block]'

export function chooseBlock(place: HTMLElement | null, key: string): void {
  const block = [...(place?.querySelectorAll<HTMLElement>(BLOCK) ?? [])].find(
    (one) => one.dataset['block'] === key,
  )
  if (block !== undefined) look(block)
}

/** One on, or one back, from the one that has the focus. */
export function stepBlock(place: HTMLElement | null, step: 1 | -1): void {
  const blocks = [...(place?.querySelectorAll<HTMLElement>(BLOCK) ?? [])]
  const at = blocks.findIndex((one) => one.contains(document.activeElement))
  const next = at === -1 ? (step === 1 ? 0 : blocks.length - 1) : at + step
  const block = blocks[next]
  if (block !== undefined) look(block)
}

export function foldBlock(place: HTMLElement | null): void {
  const blocks = [...(place?.querySelectorAll<HTMLElement>(BLOCK) ?? [])]
  const block = blocks.find((one) => one.contains(document.activeElement)) ?? blocks[0]
  block?.querySelector<HTMLElement>('button[aria-expanded]')?.click()
}

function look(block: HTMLElement): void {
  block.focus({ preventScroll: true })
  block.scrollIntoView({ block: 'nearest' })
}
