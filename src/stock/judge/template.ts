/**
 * The prompt as a person writes it: words with {{names}} in them. Neighbours: `prompt.ts` puts data in their places,
 * `options.ts` checks. Each place is filled once: what stands in the data is never read as a template.
 */
import { nearest } from '../../base/nearest.ts'

export type JudgedKind = 'tool-call' | 'text'

/** What can be shown. */
const PLACES = [
  'tool',
  'arguments',
  'description',
  'text',
  'task',
  'conversation',
  'system',
] as const
export type PlaceName = (typeof PLACES)[number]

export const DEFAULT_PROMPTS: Readonly<Record<JudgedKind, string>> = {
  'tool-call': `What the person last asked for:
{{task}}

The conversation before, oldest first and shortened:
{{conversation}}

The call to decide on is of this tool:
{{tool}}
It says of itself:
{{description}}
The arguments, as a JSON string:
{{arguments}}`,
  text: `What the person last asked for:
{{task}}

The conversation before, oldest first and shortened:
{{conversation}}

The text to decide on, which the agent is about to show, as a JSON string:
{{text}}`,
}

/** Without it the judge would decide on something that it does not see. */
const NEEDED: Readonly<Record<JudgedKind, PlaceName>> = { 'tool-call': 'arguments', text: 'text' }

const PLACE = /\{\{\s{0,8}([\w-]{1,40})\s{0,8}\}\}/g

/** What is wrong with a prompt, in words that say what to do. */
export function checkTemplate(template: string, on: JudgedKind): string | undefined {
  for (const [whole, name = ''] of template.matchAll(PLACE)) {
    if (isPlace(name)) continue
    const near = nearest(name, PLACES)
    const hint = near === undefined ? '' : `; did you mean {{${near}}}?`
    return `there is no ${whole}: it takes ${PLACES.map((one) => `{{${one}}}`).join(', ')}${hint}`
  }
  const needed = NEEDED[on]
  return placesOf(template).has(needed)
    ? undefined
    : `{{${needed}}} is missing: without it the judge does not see what it decides on`
}

/** The names that stand in it. */
export function placesOf(template: string): ReadonlySet<PlaceName> {
  const names = new Set<PlaceName>()
  for (const [, name = ''] of template.matchAll(PLACE)) if (isPlace(name)) names.add(name)
  return names
}

export const fillTemplate = (template: string, valueOf: (name: PlaceName) => string): string =>
  template.replace(PLACE, (whole, name: string) => (isPlace(name) ? valueOf(name) : whole))

const isPlace = (name: string): name is PlaceName => PLACES.some((place) => place === name)
