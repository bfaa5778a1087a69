/** Which texts are countries: ISO 3166-1 alpha-2 codes and the English names people write, frozen here. */

/** The code that `text` means: a code in any case of letters, or a name as far as it is known. */
export function countryCode(text: string): string | undefined {
  const key = keyOf(text);
  return byCode.has(key.toUpperCase()) ? key.toUpperCase() : byName.get(key);
}

const names = `
  AD Andorra|AE United Arab Emirates|AF Afghanistan|AG Antigua & Barbuda|AI Anguilla|AL Albania|AM Armenia|AO Angola
  AQ Antarctica|AR Argentina|AS American Samoa|AT Austria|AU Australia|AW Aruba|AX Aland Islands|AZ Azerbaijan
  BA Bosnia & Herzegovina|BB Barbados|BD Bangladesh|BE Belgium|BF Burkina Faso|BG Bulgaria|BH Bahrain|BI Burundi
  BJ Benin|BL St. Barthelemy|BM Bermuda|BN Brunei|BO Bolivia|BQ Caribbean Netherlands|BR Brazil|BS Bahamas|BT Bhutan
  BV Bouvet Island|BW Botswana|BY Belarus|BZ Belize|CA Canada|CC Cocos (Keeling) Islands|CD Congo - Kinshasa
  CF Central African Republic|CG Congo - Brazzaville|CH Switzerland|CI Cote d'Ivoire|CK Cook Islands|CL Chile
  CM Cameroon|CN China|CO Colombia|CR Costa Rica|CU Cuba|CV Cape Verde|CW Curacao|CX Christmas Island|CY Cyprus
  CZ Czechia|DE Germany|DJ Djibouti|DK Denmark|DM Dominica|DO Dominican Republic|DZ Algeria|EC Ecuador|EE Estonia
  EG Egypt|EH Western Sahara|ER Eritrea|ES Spain|ET Ethiopia|FI Finland|FJ Fiji|FK Falkland Islands|FM Micronesia
  FO Faroe Islands|FR France|GA Gabon|GB United Kingdom|GD Grenada|GE Georgia|GF French Guiana|GG Guernsey|GH Ghana
  GI Gibraltar|GL Greenland|GM Gambia|GN Guinea|GP Guadeloupe|GQ Equatorial Guinea|GR Greece
  GS South Georgia & South Sandwich Islands|GT Guatemala|GU Guam|GW Guinea-Bissau|GY Guyana|HK Hong Kong SAR China
  HM Heard & McDonald Islands|HN Honduras|HR Croatia|HT Haiti|HU Hungary|ID Indonesia|IE Ireland|IL Israel
  IM Isle of Man|IN India|IO British Indian Ocean Territory|IQ Iraq|IR Iran|IS Iceland|IT Italy|JE Jersey|JM Jamaica
  JO Jordan|JP Japan|KE Kenya|KG Kyrgyzstan|KH Cambodia|KI Kiribati|KM Comoros|KN St. Kitts & Nevis|KP North Korea
  KR South Korea|KW Kuwait|KY Cayman Islands|KZ Kazakhstan|LA Laos|LB Lebanon|LC St. Lucia|LI Liechtenstein|LK Sri Lanka
  LR Liberia|LS Lesotho|LT Lithuania|LU Luxembourg|LV Latvia|LY Libya|MA Morocco|MC Monaco|MD Moldova|ME Montenegro
  MF St. Martin|MG Madagascar|MH Marshall Islands|MK North Macedonia|ML Mali|MM Myanmar (Burma)|MN Mongolia
  MO Macao SAR China|MP Northern Mariana Islands|MQ Martinique|MR Mauritania|MS Montserrat|MT Malta|MU Mauritius
  MV Maldives|MW Malawi|MX Mexico|MY Malaysia|MZ Mozambique|NA Namibia|NC New Caledonia|NE Niger|NF Norfolk Island
  NG Nigeria|NI Nicaragua|NL Netherlands|NO Norway|NP Nepal|NR Nauru|NU Niue|NZ New Zealand|OM Oman|PA Panama|PE Peru
  PF French Polynesia|PG Papua New Guinea|PH Philippines|PK Pakistan|PL Poland|PM St. Pierre & Miquelon
  PN Pitcairn Islands|PR Puerto Rico|PS Palestinian Territories|PT Portugal|PW Palau|PY Paraguay|QA Qatar|RE Reunion
  RO Romania|RS Serbia|RU Russia|RW Rwanda|SA Saudi Arabia|SB Solomon Islands|SC Seychelles|SD Sudan|SE Sweden
  SG Singapore|SH St. Helena|SI Slovenia|SJ Svalbard & Jan Mayen|SK Slovakia|SL Sierra Leone|SM San Marino|SN Senegal
  SO Somalia|SR Suriname|SS South Sudan|ST Sao Tome & Principe|SV El Salvador|SX Sint Maarten|SY Syria|SZ Eswatini
  TC Turks & Caicos Islands|TD Chad|TF French Southern Territories|TG Togo|TH Thailand|TJ Tajikistan|TK Tokelau
  TL Timor-Leste|TM Turkmenistan|TN Tunisia|TO Tonga|TR Turkiye|TT Trinidad & Tobago|TV Tuvalu|TW Taiwan|TZ Tanzania
  UA Ukraine|UG Uganda|UM U.S. Outlying Islands|US United States|UY Uruguay|UZ Uzbekistan|VA Vatican City
  VC St. Vincent & Grenadines|VE Venezuela|VG British Virgin Islands|VI U.S. Virgin Islands|VN Vietnam|VU Vanuatu
  WF Wallis & Futuna|WS Samoa|YE Yemen|YT Mayotte|ZA South Africa|ZM Zambia|ZW Zimbabwe
`;

/** Further names and codes in use, official long names among them. */
const otherNames = `
  US United States of America|US USA|US America|GB UK|GB Great Britain|GB England|GB Scotland|GB Wales
  GB Northern Ireland|GB United Kingdom of Great Britain and Northern Ireland|RU Russian Federation|KR South Korea
  KR Republic of Korea|KR Korea|KP DPRK|CN People's Republic of China|HK Hong Kong|MO Macau|MO Macao|TW Taiwan ROC
  VN Viet Nam|LA Lao People's Democratic Republic|IR Islamic Republic of Iran|SY Syrian Arab Republic
  CZ Czech Republic|SK Slovak Republic|MK Macedonia|MD Republic of Moldova|TR Turkey|NL The Netherlands|NL Holland
  CI Ivory Coast|CV Cabo Verde|SZ Swaziland|MM Burma|MM Myanmar|TL East Timor|CD Democratic Republic of the Congo
  CD DR Congo|CG Republic of the Congo|CG Congo|TZ United Republic of Tanzania|BO Plurinational State of Bolivia
  VE Bolivarian Republic of Venezuela|BN Brunei Darussalam|VA Holy See|VA Vatican|PS Palestine|PS State of Palestine
  AE UAE|BA Bosnia|DE Deutschland|ES Espana|AT Osterreich|CH Schweiz|IE Republic of Ireland|FM Federated States of Micronesia
  GM The Gambia|BS The Bahamas|PH The Philippines|SA Kingdom of Saudi Arabia|BQ Bonaire|SX Saint Martin (Dutch part)
  MF Saint Martin|PM Saint Pierre and Miquelon|BL Saint Barthelemy|SH Saint Helena|KN Saint Kitts and Nevis
  LC Saint Lucia|VC Saint Vincent and the Grenadines|FK Falkland Islands (Malvinas)|VI US Virgin Islands
  UM United States Minor Outlying Islands|CC Cocos Islands|CC Keeling Islands`;

const byCode: ReadonlySet<string> = new Set(entriesOf(names).map(([code]) => code));
const byName: ReadonlyMap<string, string> = new Map(
  [...entriesOf(names), ...entriesOf(otherNames)].map(([code, name]) => [keyOf(name), code]),
);

function entriesOf(table: string): [string, string][] {
  const entries = table.trim().split(/\||\n/);
  return entries.map((entry) => [entry.trim().slice(0, 2), entry.trim().slice(2)]);
}

/** A name without accents, marks and case, `&` written out, `U.S.` joined: names are matched, not identified. */
function keyOf(name: string): string {
  const plain = name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("&", " and ");
  const words = plain.replace(/[^a-z]+/g, " ").trim();
  return words.replace(/\b([a-z]) (?=[a-z]\b)/g, "$1");
}
