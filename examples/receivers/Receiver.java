import bursar.Errors.SignatureError;
import bursar.Types.WebhookEvent;
import bursar.Webhooks;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;

/** A webhook receiver on the Java client. Run: SECRET_KEY=… PORT=3000 java -cp bursar-sdk-1.0.0.jar Receiver.java */
public final class Receiver {
    private static final String SECRET_KEY = System.getenv("SECRET_KEY");
    private static final int MAX_BODY_BYTES = 1024 * 1024;
    // Money that reaches the institute. A settled event books too: it may be the first of its payment to arrive.
    private static final String MONEY = "(pay\\.payment|flex\\.downpayment|flex\\.instalment)\\.(debited|settled)";

    private static final class Booking {
        String id;
        String type;
        String paymentId;
        String amount;
        String debit;
    }

    // In your ERP: three tables of its database with these keys, and one transaction over them.
    private static final Set<String> events = new HashSet<>();
    private static final Map<String, Booking> bookings = new HashMap<>();
    private static final Set<String> returned = new HashSet<>();

    public static void main(String[] args) throws IOException {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "3000"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.setExecutor(Executors.newFixedThreadPool(8));
        server.createContext("/", Receiver::handle);
        server.start();
        System.out.println("listening on " + server.getAddress().getPort());
    }

    private static void handle(HttpExchange exchange) throws IOException {
        try {
            if (exchange.getRequestMethod().equals("GET")) show(exchange);
            else receive(exchange);
        } catch (SignatureError error) {
            answer(exchange, 401, "null");
        } catch (RuntimeException error) { // Not a 2xx: it is sent again.
            error.printStackTrace();
            answer(exchange, 500, "null");
        }
    }

    private static void receive(HttpExchange exchange) throws IOException {
        // The body as it came: one that was parsed and written again has another signature.
        byte[] rawBody = exchange.getRequestBody().readNBytes(MAX_BODY_BYTES);
        Map<String, String> headers = new HashMap<>();
        exchange.getRequestHeaders().forEach((name, values) -> headers.put(name, values.get(0)));
        take(Webhooks.verify(rawBody, headers, SECRET_KEY));
        answer(exchange, 200, "null");
    }

    @SuppressWarnings("unchecked")
    private static synchronized void take(WebhookEvent event) {
        Map<String, Object> payload = (Map<String, Object>) event.json().get("payload");
        String code = (String) event.json().get("event");
        if (!events.add((String) event.json().get("event_id"))) return;
        if (code.matches(MONEY)) {
            add("payment", (Map<String, Object>) payload.get("payment"), payload);
        } else if (code.equals("refund.processed")) {
            add("refund", (Map<String, Object>) payload.get("refund"), payload);
        } else if (code.equals("flex.instalment.bounced")) {
            // At once or late: a debit of this attempt, booked before or after this event, does not count.
            returned.add(debitOf(payload));
        } // Codes are added: what we do not know is none of our business.
    }

    @SuppressWarnings("unchecked")
    private static void add(String type, Map<String, Object> money, Map<String, Object> payload) {
        Booking booking = new Booking();
        booking.id = (String) money.get("id");
        booking.type = type;
        booking.paymentId = (String) ((Map<String, Object>) payload.get("payment")).get("id");
        booking.amount = ((BigDecimal) money.get("amount")).toPlainString();
        booking.debit = type.equals("payment") ? debitOf(payload) : "";
        bookings.putIfAbsent(booking.id, booking);
    }

    private static String debitOf(Map<String, Object> payload) {
        Map<?, ?> instalment = (Map<?, ?>) payload.get("instalment");
        return instalment == null ? "" : instalment.get("id") + " " + instalment.get("attempt");
    }

    /** What stands in the books of a payment, for tests; in production behind a password, or absent. */
    private static void show(HttpExchange exchange) throws IOException {
        String query = String.valueOf(exchange.getRequestURI().getRawQuery());
        String wanted = URLDecoder.decode(query.replaceFirst("^payment_id=", ""), StandardCharsets.UTF_8);
        List<String> found = new ArrayList<>();
        synchronized (Receiver.class) {
            for (Booking one : bookings.values())
                if (one.paymentId.equals(wanted) && !returned.contains(one.debit))
                    found.add("{\"id\":\"" + one.id + "\",\"type\":\"" + one.type + "\",\"amount\":\"" + one.amount + "\"}");
        }
        answer(exchange, 200, "{\"bookings\":[" + String.join(",", found) + "]}");
    }

    private static void answer(HttpExchange exchange, int status, String data) throws IOException {
        String text = "{\"status\":\"" + (status == 200 ? "success" : "error") + "\",\"data\":" + data + "}";
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("content-type", "application/json");
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }
}
