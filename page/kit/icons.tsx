/** Small pictures in one line, 16 × 16, in the colour of the text beside them. They say nothing to a screen reader. */
import type { ReactElement } from 'react'

const PATHS = {
  live: 'M2 8h3l2-5 3 10 2-5h2',
  conversations: 'M2.5 3h11v7.5h-6L4.5 13v-2.5h-2z',
  approvals:
    'M8 1.8 13.5 4v4c0 3.2-2.3 5.4-5.5 6.3C4.8 13.4 2.5 11.2 2.5 8V4zM5.6 8l1.8 1.8 3.1-3.4',
  policies: 'M3 2.5h7l3 3v8H3zM5.5 7h5M5.5 10h5',
  overview: 'M2.5 13.5v-5M6.2 13.5v-9M9.8 13.5V7M13.5 13.5V3',
  settings: 'M2 4.5h7M12 4.5h2M2 11.5h2M7 11.5h7M10.5 3v3M5.5 10v3',
  sun: 'M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6M8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9',
  moon: 'M13 9.8A5.6 5.6 0 0 1 6.2 3a5.6 5.6 0 1 0 6.8 6.8z',
  leave: 'M6 2.5H3v11h3M10 5l3 3-3 3M13 8H6.5',
  search: 'M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9M10.3 10.3l3.2 3.2',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  check: 'M3 8.5l3.2 3.2L13 4.8',
  down: 'M4 6l4 4 4-4',
  right: 'M6 4l4 4-4 4',
  left: 'M10 4 6 8l4 4',
  play: 'M5 3.2v9.6L12.5 8z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  stop: 'M4 4h8v8H4z',
  halt: 'M5.2 1.8h5.6l3.4 3.4v5.6l-3.4 3.4H5.2l-3.4-3.4V5.2zM8 4.8v4M8 11v.3',
  warn: 'M8 2.2 14.5 13.5h-13zM8 6.5v3.3M8 11.6v.2',
  info: 'M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8M8 7.2v4M8 4.8v.2',
  save: 'M8 2.5v7M5 6.8l3 3 3-3M2.5 12.5h11',
  open: 'M9 2.5h4.5V7M13.2 2.8 7.5 8.5M11.5 9.5v4h-9v-9h4',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  edit: 'M3 13l.6-2.9L10.8 3l2.2 2.2-7.1 7.1z',
  back: 'M5 3 2 6l3 3M2 6h7a4.5 4.5 0 0 1 0 9H6',
  bell: 'M3.5 11.5h9l-1.2-2V6.8a3.3 3.3 0 0 0-6.6 0v2.7zM6.7 13.5h2.6',
  sound: 'M2.5 6.2h2.3L8 3.5v9L4.8 9.8H2.5zM10.3 6a2.8 2.8 0 0 1 0 4M12 4.2a5.4 5.4 0 0 1 0 7.6',
  key: 'M10.5 2.5a3 3 0 1 1-2.3 4.9L3 12.6V14h2v-1.3h1.4v-1.4h1.4l1.4-1.6',
  filter: 'M2.5 3.5h11L9.5 8.5V13l-3-1.5v-3z',
  clock: 'M8 1.8a6.2 6.2 0 1 1 0 12.4A6.2 6.2 0 0 1 8 1.8M8 4.5V8l2.4 1.6',
  tool: 'M9.2 6.8 3 13M9 3.2a3 3 0 0 0 3.8 3.8l.9.9-2.1 2.1-5.6-5.6L8.1 2.3z',
  thinking: 'M8 2.2a4.3 4.3 0 0 0-2.3 7.9v1.7h4.6v-1.7A4.3 4.3 0 0 0 8 2.2M6.2 13.8h3.6',
  text: 'M3 4h10M3 8h10M3 12h6',
} as const

export type IconName = keyof typeof PATHS

export function Icon({
  name,
  size = 16,
}: {
  readonly name: IconName
  readonly size?: number
}): ReactElement {
  return (
    <svg
      viewBox="0 0 16 16"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth={1.4}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className="shrink-0"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
