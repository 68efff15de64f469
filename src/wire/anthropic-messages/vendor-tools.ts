/**
 * Tools that the vendor's models know by a type and without a schema, and that the client runs: what each of
 * them takes, so that other models can call it too. Neighbours: `request-tools.ts` reads them. As the vendor's
 * documentation and SDK have them; holds facts only.
 */
import type { JsonObject } from '../../base/json.ts'

export interface VendorTool {
  readonly name: string
  readonly description: string
  readonly schema: JsonObject
}

/** What a type stands for, whatever its date; `undefined` where we do not know it. */
export function vendorTool(type: string): VendorTool | undefined {
  for (const [pattern, tool] of TOOLS) if (pattern.test(type)) return tool
  return undefined
}

const TEXT = { type: 'string' }
const INTEGER = { type: 'integer' }
const NUMBER = { type: 'number' }
const FLAG = { type: 'boolean' }
const POINT = { type: 'array', items: INTEGER, description: '[x, y] in pixels' }
const REGION = { type: 'array', items: INTEGER, description: '[x0, y0, x1, y1] in pixels' }
const TEXTS = { type: 'array', items: TEXT }
const WAY = { type: 'string', enum: ['up', 'down', 'left', 'right'] }

/** Properties whose names end with `?` may be missing. */
export function toObjectSchema(fields: Readonly<Record<string, JsonObject>>): JsonObject {
  const entries = Object.entries(fields)
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([key, schema]) => [key.replace('?', ''), schema])),
    required: entries.map(([key]) => key).filter((key) => !key.endsWith('?')),
  }
}

const FILE_FIELDS = {
  'path?': { ...TEXT, description: 'The file or folder' },
  'file_text?': { ...TEXT, description: 'For create: the whole content' },
  'old_str?': {
    ...TEXT,
    description: 'For str_replace: the text to replace, which must be unique',
  },
  'new_str?': { ...TEXT, description: 'For str_replace: the text to put there' },
  'insert_line?': {
    ...INTEGER,
    description: 'For insert: the line to insert after, 0 for the top',
  },
  'insert_text?': { ...TEXT, description: 'For insert: the text' },
  'view_range?': {
    type: 'array',
    items: INTEGER,
    description: 'For view: first and last line, -1 for the end',
  },
}

const commands = (...words: readonly string[]): JsonObject => ({ ...TEXT, enum: words })

const OLD_EDITOR: VendorTool = {
  name: 'str_replace_editor',
  description: 'View, create and edit text files',
  schema: toObjectSchema({
    command: commands('view', 'create', 'str_replace', 'insert', 'undo_edit'),
    ...FILE_FIELDS,
  }),
}

const TOOLS: readonly (readonly [RegExp, VendorTool])[] = [
  [
    /^bash_\d/,
    {
      name: 'bash',
      description: 'Run a command in a shell that stays open between calls',
      schema: toObjectSchema({
        'command?': { ...TEXT, description: 'The command to run' },
        'restart?': { ...FLAG, description: 'True to start the shell anew' },
      }),
    },
  ],
  [/^text_editor_(?:20241022|20250124)$/, OLD_EDITOR],
  [
    /^text_editor_\d/,
    {
      name: 'str_replace_based_edit_tool',
      description: 'View, create and edit text files',
      schema: toObjectSchema({
        command: commands('view', 'create', 'str_replace', 'insert'),
        ...FILE_FIELDS,
      }),
    },
  ],
  [
    /^memory_\d/,
    {
      name: 'memory',
      description: 'Keep notes in files under /memories that last beyond this conversation',
      schema: toObjectSchema({
        command: commands('view', 'create', 'str_replace', 'insert', 'delete', 'rename'),
        ...FILE_FIELDS,
        'old_path?': { ...TEXT, description: 'For rename' },
        'new_path?': { ...TEXT, description: 'For rename' },
      }),
    },
  ],
  [
    /^computer_\d/,
    {
      name: 'computer',
      description: 'See the screen, move the mouse and press keys',
      schema: toObjectSchema({
        action: commands(
          'key',
          'type',
          'mouse_move',
          'left_click',
          'left_click_drag',
          'right_click',
          'middle_click',
          'double_click',
          'triple_click',
          'left_mouse_down',
          'left_mouse_up',
          'scroll',
          'hold_key',
          'wait',
          'screenshot',
          'cursor_position',
          'zoom',
        ),
        'coordinate?': POINT,
        'start_coordinate?': POINT,
        'text?': { ...TEXT, description: 'What to type, or the keys to press' },
        'scroll_direction?': WAY,
        'scroll_amount?': INTEGER,
        'duration?': { ...NUMBER, description: 'Seconds' },
        'region?': REGION,
      }),
    },
  ],
]

/** One entry in `tools` that stands for many tools: their calls carry its name beside their own. */
export interface Toolset {
  readonly name: string
  readonly members: Readonly<Record<string, JsonObject>>
}

export function toolset(type: string): Toolset | undefined {
  const name = /^(computer|browser)_toolset_\d+$/.exec(type)?.[1]
  if (name === undefined) return undefined
  return { name, members: name === 'computer' ? COMPUTER : BROWSER }
}

const NOTHING = toObjectSchema({})
const CLICK = toObjectSchema({ 'coordinate?': POINT, 'text?': TEXT })

const COMPUTER: Readonly<Record<string, JsonObject>> = {
  key: toObjectSchema({ text: TEXT, 'repeat?': INTEGER }),
  hold_key: toObjectSchema({ text: TEXT, duration: NUMBER }),
  type: toObjectSchema({ text: TEXT }),
  cursor_position: NOTHING,
  mouse_move: toObjectSchema({ coordinate: POINT }),
  left_mouse_down: NOTHING,
  left_mouse_up: NOTHING,
  left_click: CLICK,
  left_click_drag: toObjectSchema({ start_coordinate: POINT, coordinate: POINT, 'text?': TEXT }),
  right_click: CLICK,
  middle_click: CLICK,
  double_click: CLICK,
  triple_click: CLICK,
  scroll: toObjectSchema({
    scroll_direction: WAY,
    scroll_amount: INTEGER,
    'coordinate?': POINT,
    'text?': TEXT,
  }),
  wait: toObjectSchema({ duration: NUMBER }),
  screenshot: NOTHING,
  zoom: toObjectSchema({ region: REGION }),
}

const AT_POINT = toObjectSchema({ type: { const: 'coordinate' }, x: INTEGER, y: INTEGER })
const AT_REF = toObjectSchema({ type: { const: 'ref' }, ref: TEXT })
const TAB = { 'tab_id?': TEXT }
const ON_TAB = toObjectSchema(TAB)
const TAB_CLICK = toObjectSchema({
  target: { anyOf: [AT_POINT, AT_REF] },
  'modifiers?': TEXT,
  ...TAB,
})

const BROWSER: Readonly<Record<string, JsonObject>> = {
  navigate: toObjectSchema({ url: TEXT, ...TAB }),
  list_tabs: NOTHING,
  new_tab: NOTHING,
  switch_tab: toObjectSchema({ tab_id: TEXT }),
  close_tab: toObjectSchema({ tab_id: TEXT }),
  read_page: toObjectSchema({
    'depth?': INTEGER,
    'filter?': { type: 'string', enum: ['all', 'interactive'] },
    'ref?': TEXT,
    ...TAB,
  }),
  get_page_text: ON_TAB,
  read_console: ON_TAB,
  read_network: ON_TAB,
  find: toObjectSchema({ query: TEXT, ...TAB }),
  form_input: toObjectSchema({
    target: AT_REF,
    value: { type: ['string', 'number', 'boolean'] },
    ...TAB,
  }),
  file_upload: toObjectSchema({
    target: AT_REF,
    'document_ids?': TEXTS,
    'paths?': TEXTS,
    ...TAB,
  }),
  scroll_to: toObjectSchema({ target: AT_REF, ...TAB }),
  screenshot: ON_TAB,
  zoom: toObjectSchema({ region: REGION, ...TAB }),
  left_click: TAB_CLICK,
  right_click: TAB_CLICK,
  middle_click: TAB_CLICK,
  double_click: TAB_CLICK,
  triple_click: TAB_CLICK,
  hover: toObjectSchema({ target: { anyOf: [AT_POINT, AT_REF] }, ...TAB }),
  left_click_drag: toObjectSchema({ from: AT_POINT, target: AT_POINT, ...TAB }),
  left_mouse_down: toObjectSchema({ target: AT_POINT, ...TAB }),
  left_mouse_up: toObjectSchema({ target: AT_POINT, ...TAB }),
  mouse_move: toObjectSchema({ target: AT_POINT, ...TAB }),
  scroll: toObjectSchema({
    scroll_direction: WAY,
    target: AT_POINT,
    'scroll_amount?': INTEGER,
    ...TAB,
  }),
  key: toObjectSchema({ text: TEXT, 'repeat?': INTEGER, ...TAB }),
  hold_key: toObjectSchema({ text: TEXT, duration: NUMBER, ...TAB }),
  type: toObjectSchema({ text: TEXT, ...TAB }),
  wait: toObjectSchema({ duration: NUMBER, ...TAB }),
  javascript_exec: toObjectSchema({ text: TEXT, ...TAB }),
}
