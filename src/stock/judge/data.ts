/**
 * What others wrote → text that cannot pass for an instruction of ours. Always JSON, so that no line of it begins as
 * a line of ours does; and without a single `<`, so that no mark can be opened or closed in it, neither ours nor a
 * model's own (`<|im_start|>`). Neighbours: `prompt.ts` puts it between marks. Knows no model.
 */

/** `<`, and all that a reader would not see: a judge must see what it judges. */
const NOT_PLAIN = /[<\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

export const toData = (value: unknown): string =>
  JSON.stringify(value).replace(NOT_PLAIN, (char) => {
    let escaped = ''
    for (let at = 0; at < char.length; at++)
      escaped += `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`
    return escaped
  })

/** Between two marks that nobody could know before. */
export const toBox = (data: string, name: string, mark: string): string =>
  `<data-${mark} name="${name}">\n${data}\n</data-${mark}>`

/** Beginning and end, with how much is missing between them. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text
  const head = Math.ceil((max * 2) / 3)
  const left = text.length - max
  return `${text.slice(0, head)} […${left} characters left out…] ${text.slice(text.length - (max - head))}`
}
