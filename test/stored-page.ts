/** DATA: the HTML of a preference center that tests store, and the groups that it asks about. */
export const letter = "11111111-1111-4111-8111-111111111111";
export const news = "11111111-1111-4111-8111-222222222222";
export const texts = "22222222-2222-4222-8222-eeeeeeeeeeee";

/** As the published sample has it, without its script: a page that asks about two groups and all email. */
export const storedPage = `<!doctype html>
<html lang="en">
  <head>
    <meta name="robots" content="noindex" />
    <style>body { font-family: sans-serif }</style>
  </head>
  <body>
    <h1>Manage {{\${email_address}}}</h1>
    <form action="{{ preference_center_submit_url }}" method="post" accept-charset="UTF-8">
      <label><input type="checkbox" id="letter" name="{% form_field_name :subscription_group ${letter} %}" value="subscribed"
        {% if {{subscribed_state.\${${letter}}}} == 'subscribed' %}checked{% endif %}> Letter</label>
      <label><input type="checkbox" id="news" name="{% form_field_name :subscription_group ${news} %}" value="subscribed"
        {% if {{subscribed_state.\${${news}}}} == 'subscribed' %}checked{% endif %}> News</label>
      <label><input type="checkbox" id="none" name="{% form_field_name :email_global_state %}" value="unsubscribed"
        {% if {{subscribed_state.\${email_global}}} == 'unsubscribed' %}checked{% endif %}> No email</label>
      <input type="submit" value="Save">
    </form>
    <p id="state">{{subscribed_state.\${email_global}}}, {{subscribed_state.\${${letter}}}}, {{subscribed_state.\${${news}}}}</p>
  </body>
</html>
`;
