/**
 * Texts of models, clients and tools → the same text with nothing hidden in it. Control characters would be swallowed,
 * direction marks make a name read backwards (`exe.txt` that is `txt.exe`), tag characters are instructions that only a
 * model sees. Neighbours: `verbatim.tsx` shows it. Knows no component.
 */

/** Anything that a browser does not show, or by which it shows other things elsewhere. */
const HIDDEN_IN_TEXT =
  // eslint-disable-next-line no-control-regex -- these are what is looked for
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u206F\uFFF9-\uFFFB]|[\u{E0000}-\u{E007F}]/gu
/** In a name also line breaks, and what has no width at all. */
const HIDDEN_IN_NAME =
  // eslint-disable-next-line no-control-regex -- these are what is looked for
  /[\u0000-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]|[\u{E0000}-\u{E007F}]/gu

/** Line breaks and tabs stay. */
export const showHidden = (text: string): string =>
  text.replaceAll('\r\n', '\n').replaceAll(HIDDEN_IN_TEXT, toVisible)

/** For what must be one line and read as it is: names of tools, of files, of models. */
export const showName = (text: string): string => text.replaceAll(HIDDEN_IN_NAME, toVisible)

/** By its number: the pictures that Unicode has for some of them are in few fonts. */
const toVisible = (character: string): string =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`

/** The first line that says something, no longer than `max`. */
export function firstLine(text: string, max = 160): string {
  const start = /\S/.exec(text.slice(0, 4000))?.index ?? 0
  return cutLine(text.slice(start, start + max + 1), max)
}

/** The last one: of what is still coming. */
export function lastLine(text: string, max = 160): string {
  const lines = text.slice(-4 * max).trimEnd()
  return cutLine(lines.slice(lines.lastIndexOf('\n') + 1), max)
}

function cutLine(text: string, max: number): string {
  const line = (text.split('\n', 1)[0] ?? '').trimEnd()
  return showName(line.length > max ? `${line.slice(0, max)}…` : line)
}

/** Agents put their own words beside the user's, in tags or under a heading of theirs. */
const ASIDES =
  /^\s*(?:<(?:system-reminder|environment_context|user_instructions|permissions|command-name|command-message|local-command|turn_aborted|INSTRUCTIONS|skills_instructions|collaboration_mode|apps_instructions|plugins_instructions|model_switch)\b|# AGENTS\.md instructions|Caveat: The messages below)/

/** Whether an agent said it of itself, and no person. */
export const isAside = (text: string): boolean => ASIDES.test(text.slice(0, 200))

/** What it is about, without the tag that it stands in. */
export const toAsideHint = (text: string): string =>
  firstLine(text.slice(0, 2000).replace(/^\s*<[\w-]+[^>]{0,200}>/, ''))
