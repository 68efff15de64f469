/**
 * The few shapes that a drawing needs, as SVG text. Neighbours: `plot.ts` draws with them. Knows nothing of what it shows.
 */
export interface Point {
  readonly x: number
  readonly y: number
}

interface TextStyle {
  readonly anchor?: 'start' | 'middle' | 'end'
  readonly size?: number
  readonly fill?: string
  readonly isBold?: boolean
}

const INK = '#1f2328'

export const drawing = (width: number, height: number, shapes: readonly string[]): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${round(width)} ${round(height)}" width="${round(width)}" height="${round(height)}" font-family="system-ui, sans-serif">
<rect width="100%" height="100%" fill="#ffffff"/>
${shapes.join('\n')}
</svg>
`

export const text = (at: Point, words: string, style: TextStyle = {}): string => {
  const { anchor = 'start', size = 12, fill = INK, isBold = false } = style
  const weight = isBold ? ' font-weight="600"' : ''
  return `<text x="${round(at.x)}" y="${round(at.y)}" font-size="${size}" fill="${fill}" text-anchor="${anchor}"${weight}>${escape(words)}</text>`
}

export const line = (from: Point, to: Point, stroke: string, width = 1): string =>
  `<line x1="${round(from.x)}" y1="${round(from.y)}" x2="${round(to.x)}" y2="${round(to.y)}" stroke="${stroke}" stroke-width="${width}"/>`

export const dot = (at: Point, fill: string, radius = 4): string =>
  `<circle cx="${round(at.x)}" cy="${round(at.y)}" r="${radius}" fill="${fill}"/>`

export const polyline = (points: readonly Point[], stroke: string): string =>
  `<polyline points="${points.map(({ x, y }) => `${round(x)},${round(y)}`).join(' ')}" fill="none" stroke="${stroke}" stroke-width="2"/>`

const round = (value: number): number => Math.round(value * 10) / 10

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const escape = (words: string): string => words.replace(/[&<>]/g, (found) => ESCAPES[found] ?? '')
